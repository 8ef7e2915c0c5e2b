/**
 * Seals values of agents' environments with a key that is not in the database (SE12): AES-256-GCM,
 * bound to the variable's name. Each sealed value names its key by an id that reveals nothing.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { SealedValue, StoredEnvironment } from '../../domain/agents/environment.ts'

const cipher = 'aes-256-gcm'
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16

export const newSealingKey = (): string => randomBytes(keyBytes).toString('base64')

/**
 * Parses a key: 32 bytes in base64, as `openssl rand -base64 32` writes them. Undefined for other
 * text.
 */
export function sealingKeyIn(text: string): Buffer | undefined {
  const bytes = /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined
  return bytes?.length === keyBytes ? bytes : undefined
}

export class Seals {
  /** Identifies the key without revealing it. */
  readonly keyId: string
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
    this.keyId = createHmac('sha256', key).update('holdfast sealing key').digest('hex').slice(0, 16)
  }

  seal(name: string, value: string): SealedValue {
    const iv = randomBytes(ivBytes)
    const sealing = createCipheriv(cipher, this.#key, iv).setAAD(Buffer.from(name))
    const bytes = Buffer.concat([sealing.update(value, 'utf8'), sealing.final()])
    return {
      key: this.keyId,
      sealed: Buffer.concat([iv, sealing.getAuthTag(), bytes]).toString('base64'),
    }
  }

  /**
   * Throws for a value that was sealed with another key, for another name, or was changed since.
   */
  open(environment: StoredEnvironment): Record<string, string> {
    const entries = Object.entries(environment)
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        typeof value === 'string' ? value : this.#open(name, value),
      ]),
    )
  }

  #open(name: string, { sealed }: SealedValue): string {
    const bytes = Buffer.from(sealed, 'base64')
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(name))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return (
      opening.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + opening.final('utf8')
    )
  }
}
