/**
 * The lifecycle of a turn, from prompt to answer ("intent, then result" in docs/architecture.md),
 * for roles, chats, channels and tasks. Pure. A turn is recorded before it runs. If its agent
 * exits, it becomes `unknown` and is not silently run again. Only text that is no thought counts as
 * an answer.
 */

import type { Detail } from '../notices.ts'
import { statusNotice } from '../status-texts.ts'

export type TurnState = 'queued' | 'running' | 'answered' | 'cancelled' | 'failed' | 'unknown'

/** What the turn is for. `prompt`: to an agent in a role. */
export type TurnAbout = 'chat' | 'prompt' | 'task' | 'summary'

export interface TurnLife {
  readonly state: TurnState
  readonly cancelOrdered: boolean
}

/** The end of a turn as the coordinator reports it. */
export interface ReportedEnd {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  /** The agent's stop reason, or `took_too_long`; null when it gave none. */
  readonly stopReason: string | null
  readonly error: Detail | null
}

export type TurnEvent =
  /** The agent is free. */
  | { readonly type: 'start' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'cancel' }
  /**
   * `hasText`: it has text that is no thought. `isLimit`: the text says that the vendor's limit is
   * reached. `denied`: a permission was denied last, and nothing was said since; the words for
   * people.
   */
  | ({
      readonly type: 'ended'
      readonly hasText: boolean
      readonly isLimit: boolean
      readonly denied?: Detail | null
      /** What it says looks like an error of its model, and nothing shows that it is an answer. */
      readonly isDoubtful?: boolean
    } & ReportedEnd)
  /** `why`: set where its process was ended on purpose. */
  | { readonly type: 'agent-gone'; readonly why?: Detail | undefined }
  /** An earlier turn sends its messages. */
  | { readonly type: 'join' }
  /** A pulling agent answered, or only read the messages. */
  | { readonly type: 'answer'; readonly hasText: boolean }
  /** A person stopped it and its agent, which cannot be asked to. */
  | { readonly type: 'stop' }
  /** The agent refused it before it did anything. */
  | { readonly type: 'not-run' }

export type TurnDecision =
  | {
      readonly outcome: 'changed'
      readonly state: TurnState
      readonly stopReason: string | null
      readonly error: Detail | null
    }
  | { readonly outcome: 'cancel-ordered' }
  | { readonly outcome: 'unchanged' }

/** Never ran: withdrawn, or its agent exited. */
export const withdrawn = 'withdrawn'
/** The messages were sent with an earlier turn. */
export const joined = 'joined'
/** A pulling agent read the messages and did not answer. */
const read = 'read'
const processGone = 'process_gone'
export const limitReached = 'limit'
export const probablyError = 'probably_error'
/** The agent ended the turn because it was not allowed what it asked for. */
export const denied = 'denied'
const tookTooLong = 'took_too_long'

const unchanged: TurnDecision = { outcome: 'unchanged' }

const changed = (
  state: TurnState,
  stopReason: string | null = null,
  error: Detail | null = null,
): TurnDecision => ({
  outcome: 'changed',
  state,
  stopReason,
  error,
})

/**
 *   queued ──start──▶ running ──ended──▶ answered | cancelled | failed      (final)
 *     │ ▲               │ │ │ ─answer──▶ answered
 *     │ └────not run────┘ │ └──stop────▶ cancelled
 *     │ withdraw, join,   │ agent gone
 *     │ stop, agent gone  ▼
 *     ▼                unknown                                              (final)
 *  cancelled
 *
 * A cancel of a turn that runs is noted, and it goes on until its end is told.
 */
export function decideTurn({ state, cancelOrdered }: TurnLife, event: TurnEvent): TurnDecision {
  if (state !== 'queued' && state !== 'running') return unchanged
  switch (event.type) {
    case 'start':
      return state === 'queued' ? changed('running') : unchanged
    case 'withdraw':
      return state === 'queued' ? changed('cancelled', withdrawn) : unchanged
    case 'cancel':
      return state === 'running' && !cancelOrdered ? { outcome: 'cancel-ordered' } : unchanged
    case 'ended':
      return state === 'running' ? ended(event, cancelOrdered) : unchanged
    case 'agent-gone':
      return state === 'running'
        ? changed('unknown', processGone, event.why ?? null)
        : changed('cancelled', withdrawn)
    case 'join':
      return state === 'queued' ? changed('cancelled', joined) : unchanged
    case 'answer':
      return state === 'running'
        ? changed('answered', event.hasText ? 'end_turn' : read)
        : unchanged
    case 'stop':
      return changed('cancelled', state === 'running' ? 'cancelled' : withdrawn)
    case 'not-run':
      return state === 'running' ? changed('queued') : unchanged
  }
}

const endedWithoutAnswer: Readonly<Record<string, Detail>> = {
  max_tokens: statusNotice('endedMaxTokens'),
  max_turn_requests: statusNotice('endedMaxTurns'),
  refusal: statusNotice('endedRefusal'),
}

/**
 * Counts only text as an answer. A denial that nobody spoke about is no failure, whatever reason
 * the agent gives for its end.
 */
function ended(event: Extract<TurnEvent, { type: 'ended' }>, cancelOrdered: boolean): TurnDecision {
  const { outcome, stopReason, error, hasText, isLimit } = event
  if (event.denied && outcome !== 'failed' && !cancelOrdered)
    return changed('cancelled', denied, event.denied)
  if (outcome === 'cancelled' || (outcome === 'answered' && stopReason === 'cancelled'))
    return changed('cancelled', 'cancelled')
  if (outcome === 'failed') {
    if (isLimit) return changed('failed', limitReached, error ?? statusNotice('noReason'))
    return changed(
      'failed',
      stopReason === tookTooLong ? tookTooLong : 'error',
      error ?? statusNotice('noReason'),
    )
  }
  if (isLimit) return changed('failed', limitReached, null)
  const words = endedWithoutAnswer[stopReason ?? '']
  if (words) return changed('failed', stopReason, words)
  if (event.isDoubtful) return changed('failed', probablyError, statusNotice('probablyError'))
  return hasText
    ? changed('answered', stopReason ?? 'end_turn')
    : changed('failed', 'empty', statusNotice('endedEmpty'))
}

/** Open turns of one agent, in the order of their prompts. */
export type OpenTurns<Turn extends Pick<TurnLife, 'state'>> = readonly Turn[]

/**
 * Whether a new prompt runs, waits or is refused because the queue is full. `held`: an ended turn
 * must be handled first.
 */
export function enqueue(
  open: OpenTurns<Pick<TurnLife, 'state'>>,
  maxQueued: number,
  held = false,
): 'run' | { position: number } | 'full' {
  const waiting = open.filter(({ state }) => state === 'queued').length
  if (open.length === 0 && !held) return 'run'
  return waiting < maxQueued ? { position: waiting + 1 } : 'full'
}

/** The turn to run after one has ended. */
export const nextQueued = <Turn extends Pick<TurnLife, 'state'>>(
  open: OpenTurns<Turn>,
): Turn | undefined =>
  open.some(({ state }) => state === 'running')
    ? undefined
    : open.find(({ state }) => state === 'queued')

/**
 * The lifecycle of a context: what one agent knows of one conversation, in its own session (ACP or
 * pulling). Pure.
 *
 *   opening ──new, resumed, loaded──▶ open ──process gone──▶ asleep ──next turn──▶ opening
 *      any ──▶ ended: the conversation's generation passed, or it was deleted, unassigned,
 *      terminated
 *
 * A context belongs to exactly one conversation: whatever it holds may be read by everybody who can
 * write there.
 */
export type ContextState = 'opening' | 'open' | 'asleep' | 'ended'
/** `pulled`: a pulling agent keeps the conversation in a session of its own. */
export type HowOpened = 'new' | 'resumed' | 'loaded' | 'pulled'

export type ContextEndReason =
  /** Cutover, reset, truncation or a new history: the agent's knowledge is out of date. */
  | 'generation'
  | 'deleted'
  | 'terminated'
  /** The context could not be restored. */
  | 'useless'

/** Concurrent turns of one process. */
const maxTurnsOfProcess = 4

export interface WaitingTurn {
  readonly conversationKey: string
  readonly originKey: string
}

export interface HeldContext {
  readonly conversationKey: string
  readonly originKey: string
  /** Open in this process. */
  readonly isOpen: boolean
  readonly hasRunningTurn: boolean
  /**
   * The conversation continues in another context (CX4). It still occupies the process, but gets no
   * turns.
   */
  readonly isOver: boolean
}

export interface ProcessFacts {
  /** Contexts of this process that have not ended. */
  readonly contexts: readonly HeldContext[]
  /** How many contexts it can hold; null: any number. */
  readonly contextLimit: number | null
  readonly runningTurns: number
  /** A context is being opened, so nothing else starts. */
  readonly isOpening: boolean
}

export type Dispatch<Turn> =
  | { readonly dispatch: Turn }
  /** The process can hold only one conversation, and another's turn is next: it must end. */
  | { readonly dispatch: 'make-room' }
  | { readonly dispatch: 'nothing' }

/**
 * Chooses which waiting turn (most urgent first, then oldest) starts in a process now. A context
 * runs one turn at a time. Another context is opened only while no turn runs, because some agents
 * lose a running turn then.
 */
export function chooseDispatch<Turn extends WaitingTurn>(
  waiting: readonly Turn[],
  facts: ProcessFacts,
): Dispatch<Turn> {
  if (facts.isOpening || facts.runningTurns >= maxTurnsOfProcess) return { dispatch: 'nothing' }
  const { contextLimit, contexts, runningTurns } = facts
  for (const turn of waiting) {
    const held = contexts.find((each) => isFor(each, turn))
    if (held?.hasRunningTurn) continue
    if (held?.isOpen) return { dispatch: turn }
    if (runningTurns > 0) {
      // Prevents starvation: where the number of contexts is limited, the oldest is next.
      if (contextLimit !== null) return { dispatch: 'nothing' }
      continue
    }
    if (contextLimit === null || held || contexts.length < contextLimit) return { dispatch: turn }
    return { dispatch: 'make-room' }
  }
  return { dispatch: 'nothing' }
}

const isFor = (held: HeldContext, turn: WaitingTurn): boolean =>
  !held.isOver && held.conversationKey === turn.conversationKey && held.originKey === turn.originKey
