/**
 * The actions that take a chat from one view to the next. A snapshot is the fold of all that leads
 * from the empty chat to its view, so who followed has what a snapshot says. What no action can
 * change, the end of a turn or a call that was complete, is told once more from there on.
 * Pure.
 */
import type { ChatAction, ChatState } from './chat-state.ts'
import { type ChatView, emptyChat, type RunEnd, type RunView, type TurnView } from './chat-view.ts'
import { foldChat } from './fold-chat.ts'
import { partChanges } from './part-changes.ts'
import { status } from './thread-summary.ts'

export function chatChanges(before: ChatView, after: ChatView): ChatAction[] {
  const same = commonTurns(before, after)
  const changed = inPlace(before, after, same)
  const turns = changed ?? fromThereOn(before, after, same)
  const begunAs = turns.flatMap(({ type, queuedMessageId }) =>
    type === 'chat/turnStarted' && queuedMessageId ? [queuedMessageId as string] : [],
  )
  return [...turns, ...queueChanges(before, after, new Set(begunAs))]
}

/** The state of a chat with this view. */
export function chatStateOf(
  view: ChatView,
  { resource, title, createdAt }: { resource: string; title: string; createdAt: string },
): ChatState {
  const first = { resource, title, status: status.idle, modifiedAt: createdAt, turns: [] }
  const start: ChatState = { ...first, origin: { kind: 'user' } }
  return chatChanges(emptyChat, view).reduce(foldChat, start)
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

const isSameTurn = (one: TurnView | undefined, other: TurnView | undefined): boolean =>
  one?.id === other?.id &&
  one?.text === other?.text &&
  one?.startedAt === other?.startedAt &&
  one?.runs.length === other?.runs.length &&
  (one?.runs.every((run, index) => isSame(run, other?.runs[index])) ?? true)

/** How many turns from the first are the same, and over in both. */
function commonTurns(before: ChatView, after: ChatView): number {
  const most = Math.min(endedTurns(before), endedTurns(after))
  let same = 0
  while (same < most && isSameTurn(before.turns[same], after.turns[same])) same++
  return same
}

const endedTurns = ({ turns, isActive }: ChatView): number => turns.length - (isActive ? 1 : 0)

/** Undefined where what was told of the turns has changed. */
function inPlace(before: ChatView, after: ChatView, same: number): ChatAction[] | undefined {
  if (before.turns.length - same > 1) return undefined
  const open = before.turns[same]
  const now = after.turns[same]
  if (!open) return after.turns.slice(same).flatMap((turn) => turnActions(turn, before))
  const isOver = same < endedTurns(before)
  const going = now && turnChanges(open, now, isOver)
  if (!going) return undefined
  return [...going, ...after.turns.slice(same + 1).flatMap((turn) => turnActions(turn, before))]
}

/** From the last turn that is the same. One that failed is told again, for its status. */
function fromThereOn(before: ChatView, after: ChatView, same: number): ChatAction[] {
  const isLast = same === after.turns.length
  const failed = after.turns[same - 1]?.runs.at(-1)?.end?.state === 'error'
  const first = isLast && failed ? same - 1 : same
  const last = after.turns[first - 1]
  const cut: ChatAction = { type: 'chat/truncated', ...(last && { turnId: last.id }) }
  return [cut, ...after.turns.slice(first).flatMap((turn) => turnActions(turn, before))]
}

function turnActions(turn: TurnView, before: ChatView): ChatAction[] {
  const { id, text, startedAt } = turn
  const message = { text, origin: { kind: 'user' } }
  const wasQueued = before.queued.some((each) => each.id === id)
  const started = { type: 'chat/turnStarted', turnId: id, startedAt, message }
  return [
    wasQueued ? { ...started, queuedMessageId: id } : started,
    ...(turnChanges({ ...turn, runs: [emptyRun] }, turn, false) ?? []),
  ]
}

const emptyRun: RunView = { turnId: null, parts: [], usage: null, end: null }

/** What leads from a turn as it was told to the same turn now; undefined: no action does. */
function turnChanges(before: TurnView, after: TurnView, isOver: boolean): ChatAction[] | undefined {
  const { id: turnId, runs } = after
  const isTheSame = before.id === turnId && before.text === after.text
  if (!isTheSame || before.startedAt !== after.startedAt) return undefined
  const index = before.runs.length - 1
  const last = before.runs[index]
  const now = runs[index]
  const earlier = isSame(before.runs.slice(0, index), runs.slice(0, index))
  if (!last || !now || !earlier) return undefined
  const resumed = runs.slice(index + 1)
  if (isOver && !isSame(last, now)) return undefined
  const going = isOver ? [] : runChanges(last, now, after)
  if (!going) return undefined
  const more: ChatAction[] = [...going]
  for (const run of resumed)
    more.push({ type: 'chat/turnResume', turnId }, ...(runChanges(emptyRun, run, after) ?? []))
  return more
}

function runChanges(before: RunView, after: RunView, turn: TurnView): ChatAction[] | undefined {
  if (before === after) return []
  const turnId = turn.id
  const parts = partChanges(before.parts, after.parts)
  if (!parts || (before.usage && !after.usage)) return undefined
  const actions: ChatAction[] = parts.map((action) => ({ ...action, turnId }))
  if (!isSame(before.usage, after.usage))
    actions.push({ type: 'chat/usage', turnId, usage: after.usage })
  if (after.end) actions.push(endAction(turn, after.end))
  return actions
}

const endTypes = {
  complete: 'chat/turnComplete',
  cancelled: 'chat/turnCancelled',
  error: 'chat/error',
} as const

function endAction({ id: turnId, startedAt }: TurnView, end: RunEnd): ChatAction {
  const duration = Math.max(0, Date.parse(end.at) - Date.parse(startedAt))
  const over = { type: endTypes[end.state], turnId, duration }
  if (!end.error) return over
  const resumable = end.isResumable ? { resumable: true } : {}
  return { ...over, part: { kind: 'error', error: end.error, ...resumable } }
}

function queueChanges(before: ChatView, after: ChatView, begun: ReadonlySet<string>): ChatAction[] {
  const kind = 'queued'
  const left = before.queued.filter(({ id }) => !begun.has(id))
  const ids = new Set(after.queued.map(({ id }) => id))
  const actions: ChatAction[] = left
    .filter(({ id }) => !ids.has(id))
    .map(({ id }) => ({ type: 'chat/pendingMessageRemoved', kind, id }))
  const stay = left.filter(({ id }) => ids.has(id))
  for (const { id, text } of after.queued)
    if (stay.find((each) => each.id === id)?.text !== text) {
      const message = { text, origin: { kind: 'user' } }
      actions.push({ type: 'chat/pendingMessageSet', kind, id, message })
    }
  const added = after.queued.filter(({ id }) => !stay.some((each) => each.id === id))
  const shown = [...stay, ...added].map(({ id }) => id)
  const order = after.queued.map(({ id }) => id)
  if (!isSame(shown, order)) actions.push({ type: 'chat/queuedMessagesReordered', order })
  return actions
}
