/** Receipts of requests over the relay (RL2). */

import { createHash } from 'node:crypto'
import type { RelayRequest } from '../../protocol/consoles/relay.ts'
import type { ReceiptKey } from '../../store/store.ts'

/** RL2: a request id counts once within its user session, on any connection. */
export const receiptIn = (
  request: Exclude<RelayRequest, { type: 'session:create' }>,
): ReceiptKey | undefined => receiptOf(request.userSessionId, request)

/**
 * `within`: where the request id counts once: a user session, or a connection before there is one.
 */
export function receiptOf(within: string, request: RelayRequest): ReceiptKey | undefined {
  if (request.requestId === undefined) return undefined
  const contentHash = createHash('sha256').update(JSON.stringify(request)).digest('base64url')
  return {
    credentialId: within,
    operation: 'relay',
    key: request.requestId,
    contentHash,
    sealedBy: '',
  }
}
