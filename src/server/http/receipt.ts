/** Receipt requested by `Idempotency-Key` (HT4). */
import { createHash, createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/errors.ts'
import type { agentRoutes } from '../../protocol/agents/routes.ts'
import type { ReceiptKey } from '../../store/store.ts'
import type { Presented } from '../security/credentials.ts'

/** 1 to 200 printable characters. */
const keyForm = /^[\x20-\x7e]{1,200}$/

/** `content` replaces the body where it is not JSON. */
export function receiptOf(
  request: FastifyRequest,
  operation: string,
  presented: Presented | null,
  content = request.body === undefined ? '' : JSON.stringify(request.body),
): ReceiptKey | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !presented || request.method === 'GET' || request.method === 'HEAD') return undefined
  if (typeof key !== 'string' || !keyForm.test(key)) {
    throw new Refusal('invalid_request', 'Idempotency-Key: use 1 to 200 printable characters', { field: 'Idempotency-Key' })
  }
  return {
    credentialId: presented.who.credentialId,
    operation,
    key,
    contentHash: contentHash(request, content, secretBodies.has(operation) ? presented.secret : undefined),
    sealedBy: presented.secret,
  }
}

/** SE12: bodies with secrets are hashed with the caller's secret, so that the stored hash cannot be guessed. */
const secretBodies: ReadonlySet<string> = new Set<keyof typeof agentRoutes>(['createAgent', 'changeAgent'])

const contentHash = ({ method, url }: FastifyRequest, content: string, secret: string | undefined): string =>
  (secret === undefined ? createHash('sha256') : createHmac('sha256', secret))
    .update(`${method}\n${url}\n${content}`)
    .digest('base64url')
