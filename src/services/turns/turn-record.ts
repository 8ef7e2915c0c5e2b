/**
 * Writes turns alike for roles, chats and tasks: row, events, items, the order to the coordinator.
 * The domain decides.
 */

import { consoleKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { type Detail, type NoticeText, noticeField, textOf } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import { conversationStream, coordinatorStream } from '../../domain/stream-name.ts'
import { type TurnState, withdrawn } from '../../domain/turns/lifecycle.ts'
import type { AgentUpdate, TurnUsage } from '../../protocol/turns/agent-update.ts'
import type { OpenContext, TurnOrder } from '../../protocol/turns/link.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { deleteEventsThrough, selectPosition } from '../../store/log/event-log.ts'
import type { Context, Tx } from '../../store/store.ts'
import {
  isOfRole,
  newTurnRow,
  relayRole,
  selectOpenIn,
  selectQueuedChat,
  selectRunningIn,
  type TurnRow,
  turnStream,
} from '../../store/turns/turns.ts'
import { leaveSessions } from './context-record.ts'
import { interpretEnd, type ReportedEvent } from './interpret-end.ts'
import { addTurn, lockTurn, moveTurn, type TurnMove } from './move-turn.ts'
import { expectFiles } from './turn-files.ts'
import { readTurnOutput } from './turn-output.ts'
import { usageOfTurn } from './turn-usage.ts'

/** Queued turns cancelled in one conversation. There is at most one per agent, plus retries. */
const maxCancelledTurns = 1000

interface EndOptions {
  readonly requestId?: string | undefined
  /** Why the turn never ran, or why its outcome is unknown. */
  readonly reason?: string
  /** What the agent says that the turn used. */
  readonly usage?: TurnUsage | null | undefined
  /** The sequence number of the event that already announced the end. */
  readonly announcedSeq?: number
}

interface Prompt {
  readonly id: string
  readonly launchId: string
  readonly content: readonly PromptPart[]
  readonly by: string
  readonly now: Instant
}

export const newTurn = (agent: RoleAgentRow, { id, launchId, content, by, now }: Prompt): TurnRow =>
  newTurnRow({
    id,
    conversation_key: consoleKey(agent.user_session_id, agent.role),
    agent_id: agent.agent_id,
    project_id: agent.project_id,
    launch_id: launchId,
    role_agent_id: agent.id,
    user_session_id: agent.user_session_id,
    role: agent.role,
    work_session_id: agent.work_session_id,
    about: 'prompt',
    content: JSON.stringify(content),
    asked_by: by,
    created_at: now,
  })

interface ChatTurnInput {
  readonly agentId: string
  readonly projectId: string
  /** The conversation whose context answers. */
  readonly key: string
  readonly originKey: string
  readonly by: string
}

/**
 * Returns the queued turn of an agent in a conversation, for a new message to join. Creates it if
 * there is none.
 */
export async function queueChat(
  tx: Tx,
  { by, ...which }: ChatTurnInput,
  { now, random }: Context,
): Promise<string> {
  tx.lock(conversationStream(which.key))
  const waiting = await tx.first(selectQueuedChat, which)
  if (waiting) return waiting.id
  const id = random.uuid()
  const {
    key: conversation_key,
    originKey: origin_key,
    agentId: agent_id,
    projectId: project_id,
  } = which
  const about = 'chat'
  await addTurn(tx, {
    id,
    conversation_key,
    origin_key,
    agent_id,
    project_id,
    about,
    asked_by: by,
    created_at: now,
  })
  return id
}

/** Updates of the current transaction. They reach the log when it commits. */
const unwritten = new WeakMap<Tx, Map<string, unknown[]>>()

export function bufferUpdate(tx: Tx, turnId: string, update: unknown): void {
  const noted = unwritten.get(tx) ?? new Map<string, unknown[]>()
  unwritten.set(tx, noted)
  const updates = noted.get(turnId)
  if (updates) updates.push(update)
  else noted.set(turnId, [update])
}

/** Tells the person something in a running turn. */
export function noteInTurn(tx: Tx, turn: TurnRow, { text: title, notice }: NoticeText): void {
  const update: AgentUpdate = {
    kind: 'notice',
    severity: 'warning',
    title,
    description: null,
    notice,
  }
  bufferUpdate(tx, turn.id, update)
  tx.append(turnStream(turn), {
    type: 'agent:update',
    data: { messageId: turn.id, update, role: relayRole(turn) },
  })
}

interface StartOptions {
  readonly requestId?: string | undefined
  /**
   * The context to run in, for a coordinator that holds several, and how to open it if it is not
   * open.
   */
  readonly context?: OpenContext | undefined
  /** Text sent before the prompt. */
  readonly primer?: string | null
  /** What people chose in the conversation (AG14). */
  readonly configure?: TurnOrder['configure']
}

/**
 * Marks a turn as running and orders it from the coordinator. Returns the number of
 * `agent:prompted`, which its updates follow.
 */
export async function startTurn(
  tx: Tx,
  row: TurnRow,
  launch: Launch | undefined,
  { requestId, context, primer = null, configure }: StartOptions,
  { now }: Pick<Context, 'now'>,
): Promise<number> {
  const content: readonly PromptPart[] = JSON.parse(row.content)
  const { id: turnId, asked_by: by } = row
  const prompted = { role: relayRole(row), messageId: turnId, content, by, requestId }
  // A turn sent again because it did not run was announced before.
  const announce = (): number =>
    row.started_seq ?? tx.append(turnStream(row), { type: 'agent:prompted', data: prompted })
  let started_seq = 0
  const begun = await moveTurn(tx, row, { type: 'start' }, now, () => {
    started_seq = announce()
    return { primer, started_seq }
  })
  if (!begun) throw new Error(`The turn ${turnId} is ${row.state} and cannot start`)
  if (launch) {
    const applied =
      primer === null ? content : [{ type: 'text' as const, text: primer }, ...content]
    const files = await expectFiles(tx, row, launch, { now })
    const data = {
      launchId: launch.id,
      turnId,
      content: applied,
      ...(context && { context }),
      ...(configure && { configure }),
      ...(await leaveSessions(tx, row.agent_id)),
      ...files,
    }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'turn-ordered', data })
  }
  return started_seq
}

/**
 * The outcome of a turn. `limitedUntil` is set when the agent reported its vendor's limit (AG6).
 */
export interface EndedTurn {
  readonly state: TurnState
  readonly stopReason: string | null
  readonly error: Detail | null
  readonly text: string
  readonly tools: readonly string[]
  readonly limitedUntil: Instant | undefined
}

/** Ends a turn. Returns false when the event changes nothing. */
export async function endTurn(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  context: Context,
): Promise<EndedTurn | false> {
  lockTurn(tx, row)
  const { now } = context
  if (row.state === 'queued') return endQueued(tx, row, event, ending, now)
  if (row.state !== 'running') return false
  const which = { stream: turnStream(row), turnId: row.id, startedSeq: row.started_seq ?? 0 }
  const newest = unwritten.get(tx)?.get(row.id) ?? []
  const came = await readTurnOutput(tx, which, newest)
  const { text, applied, limitedUntil } = await interpretEnd(
    tx,
    row,
    { which, unwritten: newest, came, usage: ending.usage ?? null },
    event,
    context,
  )
  const { cut } = came
  const { usage } = await usageOfTurn(tx, row.id, ending.usage ?? null)
  const announce = ({ state, stopReason, error }: TurnMove): number => {
    const data = {
      role: relayRole(row),
      messageId: row.id,
      content: text,
      cut,
      stopReason: ending.reason ?? stopReason ?? state,
      error: error && textOf(error),
      ...noticeField(error),
      usage,
      limitedUntil,
      requestId: row.cancel_request_id ?? undefined,
    }
    return tx.append(turnStream(row), { type: 'agent:response', data })
  }
  const moved = await moveTurn(tx, row, applied, now, (move) => ({
    answer: text,
    cut: cut ? 1 : 0,
    ended_seq: ending.announcedSeq ?? announce(move),
    usage: ending.usage ? JSON.stringify(ending.usage) : row.usage,
  }))
  if (!moved) return false
  const { state, stopReason, error } = moved
  for (const [n, { kind, ...body }] of came.items.entries())
    await tx.insert('turn_items', { turn_id: row.id, n, kind, body: JSON.stringify(body) })
  if (!isOfRole(row)) await trimPieces(tx, row)
  return { state, stopReason, error, text, tools: came.tools, limitedUntil }
}

async function endQueued(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  now: Instant,
): Promise<EndedTurn | false> {
  if (event.type === 'ended') return false
  const reason = ending.reason ?? withdrawn
  const data = { role: relayRole(row), messageId: row.id, reason, requestId: ending.requestId }
  const moved = await moveTurn(tx, row, event, now, () => ({
    ended_seq: isOfRole(row) ? tx.append(turnStream(row), { type: 'agent:withdrawn', data }) : null,
  }))
  if (!moved) return false
  const { state, stopReason, error } = moved
  return { state, stopReason, error, text: '', tools: [], limitedUntil: undefined }
}

/**
 * Deletes the logged pieces of an ended chat turn, whose text is now a message. Pieces of other
 * running turns stay.
 */
async function trimPieces(tx: Tx, row: TurnRow): Promise<void> {
  const name = turnStream(row)
  const others = (await tx.all(selectRunningIn, { key: row.conversation_key })).filter(
    ({ id }) => id !== row.id,
  )
  const head = (await tx.first(selectPosition, { name }))?.head ?? 0
  const through = Math.min(head, ...others.map(({ started_seq }) => (started_seq ?? 1) - 1))
  if (through <= 0) return
  await tx.write(deleteEventsThrough, { stream: name, seq: through })
  await tx.update('streams', { name, floor: through })
}

export async function cancelQueuedTurns(tx: Tx, key: string, now: Instant): Promise<void> {
  tx.lock(conversationStream(key))
  for (const turn of await tx.all(selectOpenIn, { key, limit: maxCancelledTurns })) {
    if (turn.state !== 'queued') continue
    await moveTurn(tx, turn, { type: 'withdraw' }, now)
    await tx.delete('unread_messages', { turn_id: turn.id })
  }
}
