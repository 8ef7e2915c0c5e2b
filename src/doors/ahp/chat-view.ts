/**
 * A thread as turns of a chat of the Agent Host Protocol: each of a person's messages is a turn,
 * and what came of it are its parts. What changes is told from one view to the next
 * (chat-changes.ts). Pure.
 */
import type { Message } from '../../protocol/conversations/message.ts'
import type { ThreadState } from '../../protocol/threads/thread-state.ts'
import type { ThreadTurn } from '../../protocol/threads/thread-turn.ts'
import { firstIdOf } from './names.ts'
import { type PartView, partsOf } from './part-view.ts'

/** What a turn of the chat came to, in one prompt of the agent. */
export interface RunView {
  /** As it is called here; null: none has begun. */
  readonly turnId: string | null
  readonly parts: readonly PartView[]
  readonly usage: object | null
  /** null: it runs, or waits to. */
  readonly end: RunEnd | null
}

export interface RunEnd {
  readonly state: 'complete' | 'cancelled' | 'error'
  readonly at: string
  readonly error?: { readonly errorType: string; readonly message: string }
  /** The prompt is sent once more by itself, so the turn may go on. */
  readonly isResumable?: boolean
}

export interface TurnView {
  readonly id: string
  readonly text: string
  readonly startedAt: string
  /** More than one where it was cut off and told once more. */
  readonly runs: readonly RunView[]
}

export interface WaitingView {
  readonly id: string
  readonly text: string
}

export interface ChatView {
  readonly turns: readonly TurnView[]
  /** Whether the last turn has not ended. */
  readonly isActive: boolean
  readonly queued: readonly WaitingView[]
}

export const emptyChat: ChatView = { turns: [], isActive: false, queued: [] }

const notBegun: RunView = { turnId: null, parts: [], usage: null, end: null }

export function chatViewOf(thread: ThreadState): ChatView {
  const named = namesOf(thread.messages)
  const turns = thread.turns.filter((turn) => isWithin(turn, thread))
  const views = historyOf(thread, turns[0], named)
  const history = new Set(views.map(({ id }) => id))
  let left = thread.messages.filter(
    (each) => each.role === 'user' && each.visible && !history.has(nameOf(each, named)),
  )
  for (const [index, turn] of turns.entries()) {
    const isLast = index === turns.length - 1
    const given = isLast && turn.state === 'running' ? thread.handedOver : undefined
    const own = messagesOf(turn, left, given)
    left = left.filter((message) => !own.includes(message))
    // Nobody knows what came of those before the first turn that is kept.
    const shown = index === 0 && thread.earlierTurns !== null ? own.slice(-1) : own
    addTurn(views, turn, shown, named)
  }
  left = inOrder(left, thread)
  const isRunning = turns.at(-1)?.state === 'running'
  const [next, ...others] = left
  if (isRunning || !next || isPaused(turns.at(-1), left))
    return { turns: views, isActive: isRunning, queued: left.map((each) => waiting(each, named)) }
  const active = { ...turnOf(next, named), runs: [notBegun] }
  const queued = others.map((each) => waiting(each, named))
  return { turns: [...views, active], isActive: true, queued }
}

/** What a fork or a session that was taken in begins with: said in no turn of its own. */
function historyOf(thread: ThreadState, first: ThreadTurn | undefined, named: Names): TurnView[] {
  if (thread.earlierTurns !== null) return []
  const before = thread.messages.filter(
    ({ visible, createdAt }) => visible && (!first || createdAt < first.at),
  )
  const answered = before.slice(0, before.findLastIndex(({ role }) => role === 'assistant') + 1)
  const views: TurnView[] = []
  for (const message of answered) {
    if (message.role === 'user') {
      const end = { state: 'complete', at: message.createdAt } as const
      views.push({ ...turnOf(message, named), runs: [{ ...notBegun, end }] })
      continue
    }
    const turn = views.at(-1)
    const parts = turn?.runs[0]?.parts ?? []
    const part = { kind: 'markdown', id: `${message.seq}`, text: message.content } as const
    const end = { state: 'complete', at: message.createdAt } as const
    if (turn && message.role === 'assistant')
      views.splice(-1, 1, { ...turn, runs: [{ ...notBegun, parts: [...parts, part], end }] })
  }
  return views
}

/** As the agent will be given it (CH18). */
function inOrder(left: readonly Message[], { waiting: given }: ThreadState): Message[] {
  const ranks = new Map(given.map(({ seq }, rank) => [seq, rank]))
  const rankOf = ({ seq }: Message): number => ranks.get(seq) ?? given.length
  return left.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/**
 * SN20: what waited when a turn was stopped or failed does not begin by itself, but with the next
 * message. Where it does, in a first session, that is told as it begins.
 */
const isPaused = (last: ThreadTurn | undefined, left: readonly Message[]): boolean =>
  last !== undefined &&
  last.state !== 'answered' &&
  left.every(({ createdAt }) => createdAt <= (last.endedAt ?? last.at))

/** Turns that are older than the messages at hand are left out. */
const isWithin = (turn: ThreadTurn, { messages, older }: ThreadState): boolean =>
  older === false || turn.at >= (messages[0]?.createdAt ?? '')

/**
 * While a turn runs it is known what it was given; later, what was written before it began. The one
 * that began it is as old as the turn.
 */
function messagesOf(
  turn: ThreadTurn,
  left: readonly Message[],
  given: readonly number[] | undefined,
): Message[] {
  const earlier = left.filter(({ createdAt, seq }) => createdAt < turn.at || given?.includes(seq))
  if (given || earlier.length > 0) return earlier
  const same = left.find(({ createdAt }) => createdAt === turn.at)
  return same ? [same] : []
}

/** Several messages of one prompt are a turn each; the last has what came of them. */
function addTurn(
  views: TurnView[],
  turn: ThreadTurn,
  messages: readonly Message[],
  named: Names,
): void {
  const run = runOf(turn)
  const last = messages.at(-1)
  const before = views.at(-1)
  if (!last && before?.runs.at(-1)?.end?.isResumable) {
    views.splice(-1, 1, { ...before, runs: [...before.runs, numbered(run, before.runs.length)] })
    return
  }
  for (const message of messages.slice(0, -1)) {
    const view = turnOf(message, named)
    const end = { state: 'complete', at: view.startedAt } as const
    views.push({ ...view, runs: [{ ...notBegun, end }] })
  }
  const begun = last ? turnOf(last, named) : { id: turn.id, text: '', startedAt: turn.at }
  views.push({ ...begun, runs: [run] })
}

/** Ids of parts are unique in a turn, in each of its runs. */
const numbered = (run: RunView, index: number): RunView => ({
  ...run,
  parts: run.parts.map((part) => ({ ...part, id: `${index}.${part.id}` })),
})

/** A turn that did not change has the view it had: events come often, and turns are long. */
const runs = new WeakMap<ThreadTurn, RunView>()

function runOf(turn: ThreadTurn): RunView {
  const before = runs.get(turn)
  if (before) return before
  const run = newRun(turn)
  runs.set(turn, run)
  return run
}

function newRun(turn: ThreadTurn): RunView {
  const { usage } = turn
  const counted = usage && {
    ...(usage.inputTokens !== null && { inputTokens: usage.inputTokens }),
    ...(usage.outputTokens !== null && { outputTokens: usage.outputTokens }),
    ...(usage.cachedTokens !== null && { cacheReadTokens: usage.cachedTokens }),
  }
  const hasUsage = counted !== null && Object.keys(counted).length > 0
  return {
    turnId: turn.id,
    parts: partsOf(turn),
    usage: hasUsage ? counted : null,
    end: endOf(turn),
  }
}

function endOf({ state, endedAt, at, error, stopReason, limited }: ThreadTurn): RunEnd | null {
  const over = { at: endedAt ?? at }
  switch (state) {
    case 'running':
      return null
    case 'answered':
      return { ...over, state: 'complete' }
    case 'cancelled':
      return { ...over, state: 'cancelled' }
    default: {
      const message = error ?? (state === 'unknown' ? cutOff : (stopReason ?? 'failed'))
      const failure = { errorType: stopReason ?? state, message }
      // A turn that was lost, or is at a limit, is told once more by itself (CX6, AG6).
      const isResumable = state === 'unknown' || limited
      return { ...over, state: 'error', error: failure, isResumable }
    }
  }
}

const cutOff = 'The agent was cut off in the middle of this turn'

type Names = ReadonlyMap<number, string>

/**
 * The ids that clients gave their messages, which are the ids of their turns; a second message with
 * the same, another person's, goes by its own.
 */
function namesOf(messages: readonly Message[]): Names {
  const taken = new Set<string>()
  const names = new Map<number, string>()
  for (const { seq, role, clientId, id } of messages) {
    if (role !== 'user') continue
    const given = clientId === null ? id : firstIdOf(clientId)
    const name = taken.has(given) ? id : given
    taken.add(name)
    names.set(seq, name)
  }
  return names
}

const nameOf = ({ seq, id }: Message, named: Names): string => named.get(seq) ?? id

const waiting = (message: Message, named: Names): WaitingView => ({
  id: nameOf(message, named),
  text: message.content,
})

const turnOf = (message: Message, named: Names): Omit<TurnView, 'runs'> => ({
  ...waiting(message, named),
  startedAt: message.createdAt,
})
