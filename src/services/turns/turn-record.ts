/** Writes turns alike for roles, chats and tasks: row, events, items, the order to the coordinator. The domain decides. */

import { consoleKey } from '../../domain/conversations/key.ts'
import type { Instant } from '../../domain/instant.ts'
import { type Detail, type NoticeText, noticeField, textOf } from '../../domain/notices.ts'
import type { Launch } from '../../domain/processes/lifecycle.ts'
import {
  conversationStream,
  coordinatorStream,
  type StreamName,
  userSessionStream,
} from '../../domain/stream-name.ts'
import { decideTurn, type TurnState, withdrawn } from '../../domain/turns/lifecycle.ts'
import { maxAnswerChars } from '../../protocol/consoles/user-session.ts'
import { storable } from '../../protocol/text.ts'
import { AgentUpdate, type ToolCall, type TurnUsage } from '../../protocol/turns/agent-update.ts'
import type { OpenContext, TurnOrder } from '../../protocol/turns/link.ts'
import type { PromptPart } from '../../protocol/turns/prompt.ts'
import type { RoleAgentRow } from '../../store/consoles/user-sessions.ts'
import { noticeColumn } from '../../store/fields.ts'
import { deleteEventsThrough, selectPosition } from '../../store/log/event-log.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import {
  deleteOutputItems,
  firstOutputItem,
  outputKind,
  piecesAfter,
  selectLastOutputItem,
} from '../../store/turns/turn-items.ts'
import {
  isOfRole,
  newTurnRow,
  relayRole,
  selectOpenIn,
  selectQueuedChat,
  selectRunningIn,
  type TurnRow,
  turnLife,
  turnStream,
} from '../../store/turns/turns.ts'
import { leaveSessions } from './context-record.ts'
import { interpretEnd, type ReportedEvent } from './interpret-end.ts'
import { expectFiles } from './turn-files.ts'
import { usageOfTurn } from './turn-usage.ts'

/** Characters kept in one turn's items. Later pieces are left out; the answer text has its own limit. */
const maxItemsChars = 1024 * 1024

type Plan = Extract<AgentUpdate, { kind: 'plan' }>['entries']

/**
 * Joins the logged pieces of a turn into its items when it ends. Streaming costs one event row per piece. Consecutive text or
 * thoughts become one item; a tool call or the plan is one item in its last state.
 */
export type TurnItem =
  | { readonly kind: 'text' | 'thought'; readonly text: string }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'plan'; readonly entries: Plan }
  | Extract<AgentUpdate, { kind: 'notice' | 'compaction' | 'media' }>

export interface TurnOutput {
  /** The agent's text without thoughts and tool calls. */
  readonly text: string
  /** The text after the last tool call began. */
  readonly sinceTools: string
  readonly cut: boolean
  readonly items: readonly TurnItem[]
  readonly tools: readonly string[]
}

export interface LoggedPieces {
  readonly stream: StreamName
  readonly turnId: string
  readonly startedSeq: number
}

/** `unwritten`: updates of the current transaction, which are not in the log yet. */
export async function readTurnOutput(
  reader: Reader,
  which: LoggedPieces,
  unwritten: readonly unknown[],
): Promise<TurnOutput> {
  const joined = new OutputBuilder()
  for await (const update of piecesAfter(reader, which)) joined.add(update)
  for (const update of unwritten) joined.add(update)
  return joined.end()
}

/** AC6: keeps a piece of a tool call's whole output. Its first piece replaces the output kept before. */
export async function keepOutput(
  tx: Tx,
  turnId: string,
  { toolCallId, part, text }: Extract<AgentUpdate, { kind: 'output' }>,
): Promise<void> {
  const kind = outputKind(toolCallId)
  if (part === 0) await tx.write(deleteOutputItems, { turnId, kind })
  const n = ((await tx.first(selectLastOutputItem, { turnId }))?.last ?? firstOutputItem - 1) + 1
  await tx.insert('turn_items', { turn_id: turnId, n, kind, body: JSON.stringify(text) })
}

/** Not an id that an agent would use for a tool call. */
const compactionKey = (id: string): string => `compaction ${id}`

class OutputBuilder {
  #text = ''
  #sinceTools = 0
  #chars = 0
  readonly #items: TurnItem[] = []
  readonly #calls = new Map<string, number>()
  #plan: number | undefined

  add(said: unknown): void {
    const parsed = AgentUpdate.safeParse(said)
    if (!parsed.success) return
    const update = parsed.data
    if (update.kind === 'text') this.#text += update.text
    // A picture alone is an answer, too.
    if (update.kind === 'media') this.#text += `[${update.mimeType}]`
    if (update.kind === 'tool' && !this.#calls.has(update.call.toolCallId))
      this.#sinceTools = this.#text.length
    if (update.kind === 'text' || update.kind === 'thought') this.#join(update.kind, update.text)
    else if (update.kind === 'tool')
      this.#put(this.#calls.get(update.call.toolCallId), update, update.call.toolCallId)
    else if (update.kind === 'plan') this.#put(this.#plan, update)
    else if (update.kind === 'compaction')
      this.#put(
        this.#calls.get(compactionKey(update.compactionId)),
        update,
        compactionKey(update.compactionId),
      )
    else if (update.kind === 'notice' || update.kind === 'media') this.#add(update)
  }

  end(): TurnOutput {
    const text = storable(this.#text.slice(0, maxAnswerChars))
    const tools = this.#items.flatMap((item) => (item.kind === 'tool' ? [item.call.title] : []))
    return {
      text,
      sinceTools: storable(this.#text.slice(this.#sinceTools)),
      cut: this.#text.length > maxAnswerChars,
      items: this.#items,
      tools,
    }
  }

  #join(kind: 'text' | 'thought', text: string): void {
    if (!this.#fits(text.length)) return
    const last = this.#items.at(-1)
    if (last?.kind === kind) this.#items[this.#items.length - 1] = { kind, text: last.text + text }
    else this.#items.push({ kind, text })
  }

  #add(item: TurnItem): void {
    if (this.#fits(JSON.stringify(item).length)) this.#items.push(item)
  }

  #put(at: number | undefined, item: TurnItem, id?: string): void {
    const before = at === undefined ? 0 : JSON.stringify(this.#items[at]).length
    if (!this.#fits(JSON.stringify(item).length - before)) return
    if (at !== undefined) this.#items[at] = item
    else if (id === undefined) this.#plan = this.#items.push(item) - 1
    else this.#calls.set(id, this.#items.push(item) - 1)
  }

  #fits(chars: number): boolean {
    if (this.#chars + chars > maxItemsChars) return false
    this.#chars += chars
    return true
  }
}

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

/** Returns the queued turn of an agent in a conversation, for a new message to join. Creates it if there is none. */
export async function queueChat(
  tx: Tx,
  { by, ...which }: ChatTurnInput,
  { now, random }: Context,
): Promise<string> {
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
  await tx.insert(
    'turns',
    newTurnRow({
      id,
      conversation_key,
      origin_key,
      agent_id,
      project_id,
      about,
      asked_by: by,
      created_at: now,
    }),
  )
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
  /** The context to run in, for a coordinator that holds several, and how to open it if it is not open. */
  readonly context?: OpenContext | undefined
  /** Text sent before the prompt. */
  readonly primer?: string | null
  /** What people chose in the conversation (AG14). */
  readonly configure?: TurnOrder['configure']
}

/** A turn is decided under the lock of its conversation; in a role, of its user session. */
export const lockTurn = (tx: Tx, { user_session_id: id, conversation_key: key }: TurnRow): void =>
  tx.lock(id === null ? conversationStream(key) : userSessionStream(id))

/**
 * Marks a turn as running and orders it from the coordinator. Returns the number of `agent:prompted`, which its updates follow.
 */
export async function startTurn(
  tx: Tx,
  row: TurnRow,
  launch: Launch | undefined,
  { requestId, context, primer = null, configure }: StartOptions,
  { now }: Pick<Context, 'now'>,
): Promise<number> {
  lockTurn(tx, row)
  const content: readonly PromptPart[] = JSON.parse(row.content)
  const { id: turnId, asked_by: by } = row
  const prompted = { role: relayRole(row), messageId: turnId, content, by, requestId }
  // A turn sent again because it did not run was announced before.
  const started_seq =
    row.started_seq ?? tx.append(turnStream(row), { type: 'agent:prompted', data: prompted })
  await tx.update('turns', { ...row, primer, state: 'running', started_seq, started_at: now })
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

/** The outcome of a turn. `limitedUntil` is set when the agent reported its vendor's limit (AG6). */
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
  const decision = decideTurn(turnLife(row), applied)
  if (decision.outcome !== 'changed') return false
  const { state, stopReason, error } = decision
  const stopped = ending.reason ?? stopReason ?? state
  const requestId = row.cancel_request_id ?? undefined
  const { cut } = came
  const response = {
    role: relayRole(row),
    messageId: row.id,
    content: text,
    cut,
    stopReason: stopped,
    error: error && textOf(error),
    ...noticeField(error),
    usage: (await usageOfTurn(tx, row.id, ending.usage ?? null)).usage,
    limitedUntil,
    requestId,
  }
  const ended_seq =
    ending.announcedSeq ?? tx.append(turnStream(row), { type: 'agent:response', data: response })
  const over = {
    answer: text,
    cut: cut ? 1 : 0,
    state,
    stop_reason: stopReason,
    ...errorColumns(error),
    ended_seq,
    ended_at: now,
  }
  await tx.update('turns', {
    ...row,
    ...over,
    usage: ending.usage ? JSON.stringify(ending.usage) : row.usage,
  })
  for (const [n, { kind, ...body }] of came.items.entries())
    await tx.insert('turn_items', { turn_id: row.id, n, kind, body: JSON.stringify(body) })
  if (!isOfRole(row)) await trimPieces(tx, row)
  return { state, stopReason, error, text, tools: came.tools, limitedUntil }
}

const errorColumns = (error: Detail | null) => ({
  error: error && textOf(error),
  notice: noticeColumn(error),
})

async function endQueued(
  tx: Tx,
  row: TurnRow,
  event: ReportedEvent,
  ending: EndOptions,
  now: Instant,
): Promise<EndedTurn | false> {
  if (event.type === 'ended') return false
  const decision = decideTurn(turnLife(row), event)
  if (decision.outcome !== 'changed') return false
  const { state, stopReason, error } = decision
  const reason = ending.reason ?? withdrawn
  const data = { role: relayRole(row), messageId: row.id, reason, requestId: ending.requestId }
  const ended_seq = isOfRole(row)
    ? tx.append(turnStream(row), { type: 'agent:withdrawn', data })
    : null
  await tx.update('turns', {
    ...row,
    state,
    stop_reason: stopReason,
    ...errorColumns(error),
    ended_seq,
    ended_at: now,
  })
  return { state, stopReason, error, text: '', tools: [], limitedUntil: undefined }
}

/** Deletes the logged pieces of an ended chat turn, whose text is now a message. Pieces of other running turns stay. */
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
  for (const turn of await tx.all(selectOpenIn, { key, limit: maxCancelledTurns })) {
    if (turn.state !== 'queued') continue
    await tx.update('turns', { ...turn, state: 'cancelled', stop_reason: withdrawn, ended_at: now })
    await tx.delete('unread_messages', { turn_id: turn.id })
  }
}
