/**
 * An agent's call under a client id of its own is done once (NA8): called again by the same agent session it gets the first
 * answer, whatever has happened since; with other words it is refused. Kept like every receipt, 7 days.
 */
import { createHash } from 'node:crypto'
import type { Instant } from '../domain/instant.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from '../store/receipts.ts'
import type { Tx } from '../store/store.ts'

interface AgentCall {
  readonly agentSessionId: string
  readonly operation: string
  readonly clientId?: string | undefined
  readonly content: string
}

export async function once<Answer>(tx: Tx, call: AgentCall, now: Instant, work: () => Promise<Answer>): Promise<Answer> {
  if (call.clientId === undefined) return work()
  const receipt = {
    credentialId: call.agentSessionId,
    operation: call.operation,
    key: call.clientId,
    contentHash: createHash('sha256').update(call.content).digest('base64url'),
    sealedBy: '',
  }
  const kept = await readReceipt(tx, receipt)
  if (kept && isValid(kept, now)) return answerIn(kept, receipt) as Answer
  const answer = await work()
  await keepReceipt(tx, receipt, { answer, secret: false, now, outlived: kept !== undefined })
  return answer
}
