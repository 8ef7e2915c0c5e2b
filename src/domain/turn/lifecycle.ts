/**
 * One prompt until its answer (RL6, and "intent, then result" in docs/architecture.md). Pure. An agent has one turn at a time; what is
 * said to it meanwhile waits in line and can be taken back. A turn is recorded before it runs; an agent that goes in the middle of one
 * leaves it `unknown`, and nobody runs it again in silence.
 */
import { say } from '../sentences.ts'

export type TurnState = 'queued' | 'running' | 'answered' | 'cancelled' | 'failed' | 'unknown'

export interface TurnLife {
  readonly state: TurnState
  readonly cancelOrdered: boolean
}

export type TurnEvent =
  /** The agent is free. */
  | { readonly type: 'start' }
  | { readonly type: 'withdraw' }
  | { readonly type: 'cancel' }
  | {
      readonly type: 'ended'
      readonly outcome: 'answered' | 'cancelled' | 'failed'
      readonly stopReason: string | null
      readonly error: string | null
    }
  | { readonly type: 'agent-gone' }

export type TurnDecision =
  | { readonly outcome: 'changed'; readonly state: TurnState; readonly stopReason: string | null; readonly error: string | null }
  | { readonly outcome: 'cancel-ordered' }
  | { readonly outcome: 'unchanged' }

/** Never ran: it was taken back, or its agent has gone. */
export const withdrawn = 'withdrawn'

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
    case 'ended': {
      if (state !== 'running') return unchanged
      const { outcome, stopReason, error } = event
      if (outcome === 'cancelled') return changed('cancelled', 'cancelled')
      if (outcome === 'failed') return changed('failed', 'error', error ?? say('noReason'))
      return changed('answered', stopReason ?? 'end_turn')
    }
    case 'agent-gone':
      return state === 'running' ? changed('unknown') : changed('cancelled', withdrawn)
  }
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
