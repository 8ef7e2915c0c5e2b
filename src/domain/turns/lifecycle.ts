/**
 * One prompt until its answer ("intent, then result" in docs/architecture.md), whoever asked: a person in a role or a chat, a channel, a
 * task. Pure. A turn is recorded before it runs; an agent that goes in the middle of one leaves it `unknown`, and nobody runs it again
 * in silence. How it ended is its stop reason: only text that is no thought is an answer.
 */
import { statusText } from '../sentences.ts'

export type TurnState = 'queued' | 'running' | 'answered' | 'cancelled' | 'failed' | 'unknown'

/** What it is for. `prompt`: of an agent in a role. */
export type TurnAbout = 'chat' | 'prompt' | 'task' | 'summary'

export interface TurnLife {
  readonly state: TurnState
  readonly cancelOrdered: boolean
}

/** What the coordinator tells of the end. */
export interface ToldEnd {
  readonly outcome: 'answered' | 'cancelled' | 'failed'
  /** The agent's word, or `took_too_long`; null when it gave none. */
  readonly stopReason: string | null
  readonly error: string | null
}

export type TurnEvent =
  /** The agent is free. */
  | { readonly type: 'start' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'cancel' }
  /** `hasText`: it said something that is no thought. `isLimit`: what it said is that its vendor's limit is reached. */
  | ({ readonly type: 'ended'; readonly hasText: boolean; readonly isLimit: boolean } & ToldEnd)
  | { readonly type: 'agent-gone' }

export type TurnDecision =
  | { readonly outcome: 'changed'; readonly state: TurnState; readonly stopReason: string | null; readonly error: string | null }
  | { readonly outcome: 'cancel-ordered' }
  | { readonly outcome: 'unchanged' }

/** Never ran: it was taken back, or its agent has gone. */
export const withdrawn = 'withdrawn'
/** Its messages were told together with an earlier turn's. */
export const joined = 'joined'
/** A pulling agent has read the messages and has nothing to say. */
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

/** "Done means evidence": what is no answer is never counted as one. */
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

/** Those of one agent that are not over, in the order in which they were asked for. */
export type OpenTurns<Turn extends Pick<TurnLife, 'state'>> = readonly Turn[]

/** What a new prompt does: run at once, wait in line, or nothing because the line is too long. `held`: one that is over comes first. */
export function placeInLine(
  open: OpenTurns<Pick<TurnLife, 'state'>>,
  maxQueued: number,
  held = false,
): 'run' | { position: number } | 'full' {
  const waiting = open.filter(({ state }) => state === 'queued').length
  if (open.length === 0 && !held) return 'run'
  return waiting < maxQueued ? { position: waiting + 1 } : 'full'
}

/** Whose turn it is when one has ended. */
export const nextInLine = <Turn extends Pick<TurnLife, 'state'>>(open: OpenTurns<Turn>): Turn | undefined =>
  open.some(({ state }) => state === 'running') ? undefined : open.find(({ state }) => state === 'queued')
