/**
 * An agent at its vendor's limit (AG6), written down the same way whoever says so. While it lasts, what waits in line waits on; a turn that
 * ended with the limit is taken up again when it is over, if a person said so. The use case names the user session's stream.
 */
import type { Instant } from '../domain/instant.ts'
import { userSessionStream } from '../domain/stream/name.ts'
import { limitInAnswer, limitInError } from '../domain/turn/limit.ts'
import type { Turn } from '../protocol/user-session.ts'
import { type RoleAgentRow, updateRoleAgent } from '../store/queries/role-agents.ts'
import { type TurnRow, turnOf } from '../store/queries/turns.ts'
import type { Tx } from '../store/store.ts'

/** One that meets the limit again and again is not asked for ever. */
export const mostTimesTakenUp = 5

export const noLimit = { limited_until: null, limited_turn_id: null, goes_on_by: null, goes_on_left: 0 } as const

interface Over {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  readonly error: string | null
  readonly answer: string
}

/** Until when a turn that is over says its agent is at its limit. */
export function limitOf({ outcome, error, answer }: Over, now: Instant): Instant | undefined {
  // Where the agent's machine is, is not known; a wall clock is mostly that of this one.
  const heard = { now, zone: Temporal.Now.timeZoneId() }
  if (outcome === 'failed') return limitInError(error ?? '', heard)
  return outcome === 'answered' ? limitInAnswer(answer, heard) : undefined
}

function limitIn({ state, error, answer }: TurnRow, endedAt: Instant): Instant | undefined {
  if (state !== 'failed' && state !== 'answered') return undefined
  return limitOf({ outcome: error === null ? 'answered' : 'failed', error, answer }, endedAt)
}

/** One that is over, as readers see it. */
export const turnOverOf = (row: TurnRow): Turn => ({
  ...turnOf(row),
  limitedUntil: (row.ended_at !== null && limitIn(row, row.ended_at)) || null,
})

/** Who takes the role of one that has failed goes on with what it was to go on with; each time counts. */
export function limitLeftBy({ limited_until, limited_turn_id, goes_on_by, goes_on_left }: RoleAgentRow): Partial<RoleAgentRow> {
  if (limited_until === null || goes_on_left === 0) return {}
  return { limited_until, limited_turn_id, goes_on_by, goes_on_left: goes_on_left - 1 }
}

/** The turn is the one that met the limit. A wish of before goes on, as often as was wished. */
export async function keepLimit(tx: Tx, agent: RoleAgentRow, turnId: string, until: Instant): Promise<void> {
  const row = { ...agent, limited_until: until, limited_turn_id: turnId }
  await tx.write(updateRoleAgent, row)
  tellLimit(tx, row, {})
}

/** It is over, or nobody waits for it any more. */
export async function liftLimit(tx: Tx, agent: RoleAgentRow, left = 0): Promise<RoleAgentRow> {
  const row = { ...agent, ...noLimit, ...(left > 0 && { goes_on_by: agent.goes_on_by, goes_on_left: left }) }
  await tx.write(updateRoleAgent, row)
  tellLimit(tx, row, {})
  return row
}

export function tellLimit(tx: Tx, row: RoleAgentRow, { requestId }: { requestId?: string | undefined }): number {
  const { role, limited_turn_id: messageId, limited_until: until, goes_on_by: by } = row
  const data = { role, messageId, until, goesOn: until !== null && row.goes_on_left > 0, by, requestId }
  return tx.append(userSessionStream(row.user_session_id), { type: 'agent:limited', data })
}
