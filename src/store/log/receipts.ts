/**
 * Receipts (HT4): the answer of a write, stored for 7 days under (credential, operation, client
 * key) and returned when the request is repeated. An answer with a secret is sealed with the secret
 * the caller presented: neither the database nor a backup reveals it, and only the same caller gets
 * it again.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader, ReceiptKey, Tx } from '../store.ts'

export const receiptLifetimeMs = 7 * 24 * 60 * 60 * 1000

type Key = Pick<Tables['receipts'], 'credential_id' | 'operation' | 'key'>

const selectReceipt = statement<{ credential_id: string; operation: string; key: string }>()(
  (db, p) =>
    db
      .selectFrom('receipts')
      .select(['content_hash', 'answer', 'sealed', 'created_at'])
      .where('credential_id', '=', p.credential_id)
      .where('operation', '=', p.operation)
      .where('key', '=', p.key),
)

type KeptReceipt = Pick<Tables['receipts'], 'content_hash' | 'answer' | 'sealed' | 'created_at'>

const keyOf = (receipt: ReceiptKey): Key => ({
  credential_id: receipt.credentialId,
  operation: receipt.operation,
  key: receipt.key,
})

export const readReceipt = (
  reader: Reader,
  receipt: ReceiptKey,
): Promise<KeptReceipt | undefined> => reader.first(selectReceipt, keyOf(receipt))

export const isValid = (receipt: KeptReceipt, now: Instant): boolean =>
  later(receipt.created_at, receiptLifetimeMs) > now

/** Returns the first answer, for the same request only. */
export function answerIn(stored: KeptReceipt, receipt: ReceiptKey): unknown {
  if (stored.content_hash !== receipt.contentHash) throw new Refusal('idempotency_key_reused')
  return JSON.parse(stored.sealed ? open(stored.answer, receipt.sealedBy) : stored.answer)
}

interface Answered {
  readonly answer: unknown
  readonly secret: boolean
  readonly now: Instant
  /** Whether an expired receipt exists under this key. */
  readonly outlived: boolean
}

export async function keepReceipt(
  tx: Tx,
  receipt: ReceiptKey,
  { answer, secret, now, outlived }: Answered,
): Promise<void> {
  const text = JSON.stringify(answer ?? null)
  if (outlived) await tx.delete('receipts', keyOf(receipt))
  // Never overwrites: of two concurrent requests with the same key, the table's key makes one fail
  // and run again.
  await tx.insert('receipts', {
    ...keyOf(receipt),
    content_hash: receipt.contentHash,
    answer: secret ? seal(text, receipt.sealedBy) : text,
    sealed: secret ? 1 : 0,
    created_at: now,
  })
}

const sealing = { cipher: 'aes-256-gcm', saltBytes: 16, ivBytes: 12, tagBytes: 16 } as const

const sealingKey = (secret: string, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, 'holdfast receipt', 32))

function seal(text: string, secret: string): string {
  const salt = randomBytes(sealing.saltBytes)
  const iv = randomBytes(sealing.ivBytes)
  const cipher = createCipheriv(sealing.cipher, sealingKey(secret, salt), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed]).toString('base64url')
}

function open(sealedText: string, secret: string): string {
  const bytes = Buffer.from(sealedText, 'base64url')
  const { saltBytes, ivBytes, tagBytes } = sealing
  const part = (from: number, length?: number): Buffer =>
    bytes.subarray(from, length && from + length)
  const salt = part(0, saltBytes)
  const iv = part(saltBytes, ivBytes)
  const tag = part(saltBytes + ivBytes, tagBytes)
  const decipher = createDecipheriv(sealing.cipher, sealingKey(secret, salt), iv).setAuthTag(tag)
  return (
    decipher.update(part(saltBytes + ivBytes + tagBytes), undefined, 'utf8') +
    decipher.final('utf8')
  )
}

/** Whether a text begins like a sealed one. */
export const looksSealed = (text: string): boolean =>
  /^[\w-]+$/.test(text) &&
  Buffer.from(text, 'base64url').length > sealing.saltBytes + sealing.ivBytes + sealing.tagBytes
