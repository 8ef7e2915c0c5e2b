/**
 * The lifecycle of a turn, from prompt to answer ("intent, then result" in docs/architecture.md), for roles, chats, channels and
 * tasks. Pure. A turn is recorded before it runs. If its agent exits, it becomes `unknown` and is not silently run again. Only
 * text that is no thought counts as an answer.
 */
import { statusText } from '../sentences.ts'

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
  readonly error: string | null
}

export type TurnEvent =
  /** The agent is free. */
  | { readonly type: 'start' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'cancel' }
  /** `hasText`: it has text that is no thought. `isLimit`: the text says that the vendor's limit is reached. */
  | ({ readonly type: 'ended'; readonly hasText: boolean; readonly isLimit: boolean } & ReportedEnd)
  | { readonly type: 'agent-gone' }

export type TurnDecision =
  | { readonly outcome: 'changed'; readonly state: TurnState; readonly stopReason: string | null; readonly error: string | null }
  | { readonly outcome: 'cancel-ordered' }
  | { readonly outcome: 'unchanged' }

/** Never ran: withdrawn, or its agent exited. */
export const withdrawn = 'withdrawn'
/** Its messages were sent with an earlier turn. */
export const joined = 'joined'
/** A pulling agent read the messages and did not answer. */
export const read = 'read'
export const processGone = 'process_gone'
export const limitReached = 'limit'
const tookTooLong = 'took_too_long'

const unchanged: TurnDecision = { outcome: 'unchanged' }

const changed = (state: TurnState, stopReason: string | null = null, error: string | null = null): TurnDecision => ({
  outcome: 'changed',
  state,
  stopReason,
  error,
})

/**
 *   queued ──start──▶ running ──ended──▶ answered | cancelled | failed      (final)
 *     │ withdraw,        │ agent gone
 *     │ agent gone       ▼
 *     ▼               unknown                                               (final)
 *  cancelled
 *
 * A cancel of a turn that runs is noted, and it goes on until its end is told.
 */
export function decide({ state, cancelOrdered }: TurnLife, event: TurnEvent): TurnDecision {
  if (state !== 'queued' && state !== 'running') return unchanged
  switch (event.type) {
    case 'start':
      return state === 'queued' ? changed('running') : unchanged
    case 'withdraw':
      return state === 'queued' ? changed('cancelled', withdrawn) : unchanged
    case 'cancel':
      return state === 'running' && !cancelOrdered ? { outcome: 'cancel-ordered' } : unchanged
    case 'ended':
      return state === 'running' ? ended(event) : unchanged
    case 'agent-gone':
      return state === 'running' ? changed('unknown', processGone) : changed('cancelled', withdrawn)
  }
}

const endedWithoutAnswer: Readonly<Record<string, () => string>> = {
  max_tokens: () => statusText('endedMaxTokens'),
  max_turn_requests: () => statusText('endedMaxTurns'),
  refusal: () => statusText('endedRefusal'),
}

/** Counts only text as an answer. */
function ended({ outcome, stopReason, error, hasText, isLimit }: Extract<TurnEvent, { type: 'ended' }>): TurnDecision {
  if (outcome === 'cancelled' || (outcome === 'answered' && stopReason === 'cancelled')) return changed('cancelled', 'cancelled')
  if (outcome === 'failed') {
    if (isLimit) return changed('failed', limitReached, error ?? statusText('noReason'))
    return changed('failed', stopReason === tookTooLong ? tookTooLong : 'error', error ?? statusText('noReason'))
  }
  if (isLimit) return changed('failed', limitReached, null)
  const words = endedWithoutAnswer[stopReason ?? '']
  if (words) return changed('failed', stopReason, words())
  return hasText ? changed('answered', stopReason ?? 'end_turn') : changed('failed', 'empty', statusText('endedEmpty'))
}

/** Open turns of one agent, in the order of their prompts. */
export type OpenTurns<Turn extends Pick<TurnLife, 'state'>> = readonly Turn[]

/**
 * Decides whether a new prompt runs, waits or is refused because the queue is full. `held`: an ended turn must be handled first.
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
export const nextQueued = <Turn extends Pick<TurnLife, 'state'>>(open: OpenTurns<Turn>): Turn | undefined =>
  open.some(({ state }) => state === 'running') ? undefined : open.find(({ state }) => state === 'queued')
