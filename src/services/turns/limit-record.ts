/**
 * Records vendor limits (AG6) on contexts, for roles and chats alike. The turn that met the limit
 * is parked: a queued turn that is not dispatched before the limit ends, and then only if a person
 * chose to continue.
 */
import type { Instant } from '../../domain/instant.ts'
import { type Detail, textOf } from '../../domain/notices.ts'
import { conversationStream, projectStream, userSessionStream } from '../../domain/stream-name.ts'
import { limitInAnswer, limitInError } from '../../domain/turns/vendor-limit.ts'
import type { Turn } from '../../protocol/consoles/user-session.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import { identityOf, rolePlaceOf } from '../../store/conversations/conversation-identity.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  type ContextRow,
  noLimit,
  selectContextOf,
  selectContextsIn,
} from '../../store/turns/contexts.ts'
import { selectParked, type TurnRow, turnOf } from '../../store/turns/turns.ts'
import { isAssigned } from '../projects/project-record.ts'
import { tellSession } from '../tell-session.ts'
import { type ContextKey, getOrCreateContext, lockContext } from './context-record.ts'
import { changeContext } from './move-context.ts'
import { addTurn, moveTurn } from './move-turn.ts'

/** Automatic retries before a person must choose again. */
const maxContinuations = 5
/** Prompt parts kept in a parked turn, the newest. */
const maxParkedParts = 100
/** Contexts of one conversation whose limits are cleared, the newest first. */
const maxClearedContexts = 1000

type Clock = Pick<Context, 'now' | 'timeZone'>

interface TurnOutcome {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  readonly error: Detail | null
  readonly answer: string
}

/** Returns until when the agent is at its limit, as its turn's outcome says. */
export function limitOf(
  { outcome, error, answer }: TurnOutcome,
  { now, timeZone: zone }: Clock,
): Instant | undefined {
  // The agent's time zone is unknown. A wall-clock time in its text is read in the server's zone.
  if (outcome === 'failed') return limitInError(textOf(error ?? ''), { now, zone })
  return outcome === 'answered' ? limitInAnswer(answer, { now, zone }) : undefined
}

function limitIn({ state, error, answer }: TurnRow, clock: Clock): Instant | undefined {
  if (state !== 'failed' && state !== 'answered') return undefined
  return limitOf({ outcome: error === null ? 'answered' : 'failed', error, answer }, clock)
}

export const endedTurnView = (row: TurnRow, timeZone: string): Turn => ({
  ...turnOf(row),
  limitedUntil: (row.ended_at !== null && limitIn(row, { now: row.ended_at, timeZone })) || null,
})

type LimitedContext = ContextRow & { readonly limited_until: Instant }

/** The limit that an agent is currently at in a conversation. */
export async function currentLimit(
  reader: Reader,
  contextKey: ContextKey,
): Promise<LimitedContext | undefined> {
  const row = await reader.first(selectContextOf, contextKey)
  return row && row.limited_until !== null
    ? { ...row, limited_until: row.limited_until }
    : undefined
}

/** Whether a person chose to continue automatically, with retries left. */
export const willContinue = async (reader: Reader, contextKey: ContextKey): Promise<boolean> =>
  ((await reader.first(selectContextOf, contextKey))?.goes_on_left ?? 0) > 0

const contextKeyOf = (
  row: Pick<ContextRow, 'agent_id' | 'project_id' | 'conversation_key' | 'origin_key'>,
): ContextKey => ({
  agentId: row.agent_id,
  projectId: row.project_id,
  key: row.conversation_key,
  originKey: row.origin_key,
})

interface Ended {
  readonly state: TurnRow['state']
  readonly limitedUntil: Instant | undefined
}

/**
 * Applies the end of a turn to the limit: parks the turn if it met the limit, or lifts the limit if
 * the agent answered.
 */
export async function applyLimit(
  tx: Tx,
  turn: TurnRow,
  { state, limitedUntil }: Ended,
  context: Context,
): Promise<void> {
  await lockContext(tx, turn.conversation_key)
  if (limitedUntil !== undefined) return parkTurn(tx, turn, limitedUntil, context)
  const row = await tx.first(selectContextOf, contextKeyOf(turn))
  if (row?.limited_until === null && row.goes_on_left > 0) await changeContext(tx, row, noLimit)
  else if (row && row.limited_until !== null && state === 'answered')
    await liftLimit(tx, row, context)
}

/**
 * Parks a turn. An earlier choice to continue stays in force; parts already parked are sent
 * together with this turn's.
 */
async function parkTurn(tx: Tx, turn: TurnRow, until: Instant, context: Context): Promise<void> {
  const row = await getOrCreateContext(tx, contextKeyOf(turn), context)
  const limit = { limited_until: until, limited_turn_id: turn.id }
  const parked = await tx.first(selectParked, contextKeyOf(turn))
  const parts = [...(parked ? partsOf(parked) : []), ...partsOf(turn)].slice(-maxParkedParts)
  const waits = { content: JSON.stringify(parts), not_before: until }
  const {
    agent_id,
    project_id,
    lane,
    conversation_key,
    origin_key,
    user_session_id,
    role,
    work_session_id,
    about,
    asked_by,
  } = turn
  const { role_agent_id, launch_id, through_seq } = turn
  const inRole =
    role_agent_id === null
      ? {}
      : { role_agent_id, launch_id, user_session_id, role, work_session_id, through_seq }
  const same = {
    agent_id,
    project_id,
    lane,
    conversation_key,
    origin_key,
    about,
    asked_by,
    created_at: context.now,
    ...inRole,
  }
  const { content, not_before } = waits
  if (parked) await tx.update('turns', { id: parked.id, content, not_before })
  else await addTurn(tx, { ...same, ...waits, id: context.random.uuid(), retry_of: turn.id })
  await changeContext(tx, row, limit)
  await appendLimitEvent(tx, { ...row, ...limit })
}

const partsOf = ({ content }: TurnRow): PromptPart[] => JSON.parse(content)

/**
 * Sets whether the parked turn is sent again automatically. Returns the event's sequence number.
 */
export async function setContinuation(
  tx: Tx,
  row: ContextRow,
  { goOn, by, requestId }: { goOn: boolean; by: string; requestId?: string | undefined },
): Promise<number> {
  await lockContext(tx, row.conversation_key)
  const chosen = { goes_on_by: goOn ? by : null, goes_on_left: goOn ? maxContinuations : 0 }
  await changeContext(tx, row, chosen)
  return appendLimitEvent(tx, { ...row, ...chosen }, requestId)
}

/** Lifts the limit and queues or cancels the parked turn. Each automatic retry is counted. */
export async function liftLimit(
  tx: Tx,
  row: ContextRow,
  { now }: Pick<Context, 'now'>,
): Promise<void> {
  await lockContext(tx, row.conversation_key)
  const {
    agent_id: agentId,
    project_id: projectId,
    conversation_key: conversationKey,
    goes_on_by,
    goes_on_left,
  } = row
  const parked = await tx.first(selectParked, contextKeyOf(row))
  const takesUp = goes_on_left > 0 && (await isAssigned(tx, { projectId, agentId }))
  const lifted = {
    ...noLimit,
    ...(takesUp && { goes_on_by, goes_on_left: goes_on_left - 1 }),
  }
  await changeContext(tx, row, lifted)
  await appendLimitEvent(tx, { ...row, ...lifted })
  await tellSession(tx, conversationKey)
  if (!parked) return
  if (takesUp) await tx.update('turns', { id: parked.id, not_before: null })
  else await moveTurn(tx, parked, { type: 'withdraw' }, now, { not_before: null })
  if (!takesUp || parked.about !== 'chat') return
  const data = { turnId: parked.id, agentId, conversationKey }
  tx.append(projectStream(projectId), { type: 'turn-waiting', data })
}

/** Clears all limits in a conversation, when it is reset or ends. */
export async function clearLimitsIn(tx: Tx, key: string, now: Instant): Promise<void> {
  for (const row of await tx.all(selectContextsIn, { key, limit: maxClearedContexts }))
    if (row.state !== 'ended') await clearLimit(tx, contextKeyOf(row), { now })
}

/** Clears a limit without retrying the parked turn. */
export async function clearLimit(
  tx: Tx,
  contextKey: ContextKey,
  context: Pick<Context, 'now'>,
): Promise<void> {
  const row = await tx.first(selectContextOf, contextKey)
  if (row && (row.limited_until !== null || row.goes_on_left > 0))
    await liftLimit(tx, { ...row, goes_on_left: 0 }, context)
}

/**
 * Transfers the parked turn to the agent that replaces a failed one in its role. Each transfer
 * counts as a retry.
 */
export async function inheritLimit(
  tx: Tx,
  contextKey: ContextKey,
  runner: Pick<TurnRow, 'role_agent_id' | 'launch_id' | 'work_session_id'>,
  context: Pick<Context, 'now'>,
): Promise<void> {
  await lockContext(tx, contextKey.key)
  const row = await currentLimit(tx, contextKey)
  const parked = await tx.first(selectParked, contextKey)
  if (!row || !parked || row.goes_on_left === 0) return clearLimit(tx, contextKey, context)
  await changeContext(tx, row, { goes_on_left: row.goes_on_left - 1 })
  const { role_agent_id, launch_id } = runner
  await tx.update('turns', { id: parked.id, role_agent_id, launch_id })
}

async function appendLimitEvent(tx: Tx, row: ContextRow, requestId?: string): Promise<number> {
  const {
    conversation_key: key,
    agent_id: agentId,
    limited_until: until,
    goes_on_by,
    goes_on_left,
  } = row
  const willGoOn = until !== null && goes_on_left > 0
  const reported = { until, goesOn: willGoOn, by: willGoOn ? goes_on_by : null }
  const place = rolePlaceOf(await identityOf(tx, key))
  if (!place)
    return tx.append(conversationStream(key), {
      type: 'chat-limited',
      data: { agentId, ...reported },
    })
  const data = { role: place.role, messageId: row.limited_turn_id, ...reported, requestId }
  return tx.append(userSessionStream(place.userSessionId), { type: 'agent:limited', data })
}
