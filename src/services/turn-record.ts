/**
 * What becomes of a turn, written down the same way whoever says so: its row, its event in the user session's stream, and the order to
 * the coordinator that has its agent. The use case names both streams. Decides nothing.
 */
import type { Instant } from '../domain/instant.ts'
import { coordinatorStream, userSessionStream } from '../domain/stream/name.ts'
import { decide, nextInLine, type TurnEvent, withdrawn } from '../domain/turn/lifecycle.ts'
import type { PromptPart } from '../protocol/prompt.ts'
import { findLaunch } from '../store/queries/launches.ts'
import type { RoleAgentRow } from '../store/queries/role-agents.ts'
import { saidIn } from '../store/queries/turn-text.ts'
import { selectOpenTurns, type TurnRow, turnLife, updateTurn } from '../store/queries/turns.ts'
import type { Context, Tx } from '../store/store.ts'
import { limitOf } from './limit-record.ts'

interface Ending {
  /** Of the request that brought it about. */
  readonly requestId?: string | undefined
  /** Why it never ran, or why its end is not known. */
  readonly reason?: string
  /** The number of the event that tells of it already. */
  readonly toldAt?: number
}

interface Prompt {
  readonly id: string
  readonly launchId: string
  readonly content: readonly PromptPart[]
  readonly by: string
  readonly now: Instant
}

/** One that waits to be told. */
export const newTurn = (agent: RoleAgentRow, { id, launchId, content, by, now }: Prompt): TurnRow => ({
  id,
  user_session_id: agent.user_session_id,
  role_agent_id: agent.id,
  role: agent.role,
  launch_id: launchId,
  state: 'queued',
  content: JSON.stringify(content),
  answer: '',
  cut: 0,
  stop_reason: null,
  error: null,
  asked_by: by,
  asked_seq: 0,
  started_seq: null,
  ended_seq: null,
  created_at: now,
  started_at: null,
  ended_at: null,
  cancel_ordered_at: null,
  cancel_request_id: null,
})

/** Pieces of this very transaction: they are in the log only when it is over. */
const unwritten = new WeakMap<Tx, Map<string, string>>()

export function noteSaid(tx: Tx, turnId: string, text: string): void {
  const said = unwritten.get(tx) ?? new Map<string, string>()
  unwritten.set(tx, said.set(turnId, (said.get(turnId) ?? '') + text))
}

/** Tells the agent; the number of `agent:prompted`, which its pieces follow. */
export async function startTurn(
  tx: Tx,
  row: TurnRow,
  { requestId }: Pick<Ending, 'requestId'>,
  { now }: Context,
): Promise<number> {
  const launch = await findLaunch(tx, row.launch_id)
  const content = JSON.parse(row.content)
  const { id: turnId, role, launch_id: launchId, asked_by: by } = row
  const prompted = { role, messageId: turnId, content, by, requestId }
  const started_seq = tx.append(userSessionStream(row.user_session_id), { type: 'agent:prompted', data: prompted })
  await tx.write(updateTurn, { ...row, state: 'running', started_seq, started_at: now })
  if (launch) tx.append(coordinatorStream(launch.coordinatorId), { type: 'turn-ordered', data: { launchId, turnId, content } })
  return started_seq
}

/** `limitedUntil`: the agent says it is at its limit (AG6). */
type Ended = false | { readonly limitedUntil: Instant | undefined }

/** Ends it as the event says; false when that changes nothing. */
export async function endTurn(tx: Tx, row: TurnRow, event: TurnEvent, ending: Ending, { now }: Context): Promise<Ended> {
  const decision = decide(turnLife(row), event)
  if (decision.outcome !== 'changed') return false
  const { state, stopReason, error } = decision
  const stream = userSessionStream(row.user_session_id)
  const { id: messageId, role } = row
  if (row.state === 'queued') {
    const data = { role, messageId, reason: ending.reason ?? withdrawn, requestId: ending.requestId }
    const ended_seq = tx.append(stream, { type: 'agent:withdrawn', data })
    await tx.write(updateTurn, { ...row, state, stop_reason: stopReason, error, ended_seq, ended_at: now })
    return { limitedUntil: undefined }
  }
  const which = { stream, turnId: row.id, startedSeq: row.started_seq ?? 0 }
  const { text, cut } = await saidIn(tx, which, unwritten.get(tx)?.get(row.id))
  const requestId = row.cancel_request_id ?? undefined
  const limitedUntil = limitOf({ state, error, answer: text }, now)
  const stopped = stopReason ?? ending.reason ?? state
  const response = { role, messageId, content: text, cut, stopReason: stopped, error, limitedUntil, requestId }
  const ended_seq = ending.toldAt ?? tx.append(stream, { type: 'agent:response', data: response })
  const said = { answer: text, cut: cut ? 1 : 0 }
  await tx.write(updateTurn, { ...row, ...said, state, stop_reason: stopReason, error, ended_seq, ended_at: now })
  return { limitedUntil }
}

/** The agent is free: who waits longest is next. */
export async function startNext(tx: Tx, roleAgentId: string, context: Context): Promise<void> {
  const next = nextInLine(await tx.all(selectOpenTurns, { roleAgentId }))
  if (next) await startTurn(tx, next, {}, context)
}
