/**
 * Whether an agent should be started in a project now (CO3). Used by the server and, as
 * `get_agent_action`, by coordinators of others. Pure.
 */

import { detectWork, type WorkFacts } from '../agent-sessions/work-detection.ts'
import type { Instant } from '../instant.ts'
import { type Detail, textOf } from '../notices.ts'
import type { ProjectSettings } from '../projects/settings.ts'
import { statusNotice } from '../status-texts.ts'
import type { LaunchEndReason } from './lifecycle.ts'

export interface StartFacts extends WorkFacts {
  /** A start is ordered or under way and has not signed in. */
  readonly startOutstanding: boolean
  /** Why the agent is held after too many failed starts (CO7); null when it is not. */
  readonly heldBecause: Detail | null
}

export interface AgentAction {
  readonly action: 'start' | 'none' | 'hold'
  readonly reason: string
}

export function agentAction(now: Instant, facts: StartFacts): AgentAction {
  const { purpose } = detectWork(now, facts)
  if (purpose === 'no_work')
    return { action: 'none', reason: 'there is no work that no live session has' }
  // One at a time, because the process takes its work when it signs in. Checked first: a launch
  // that a person released is under way in spite of its failures (CO7).
  if (facts.startOutstanding) return { action: 'none', reason: 'a start is under way' }
  if (facts.heldBecause !== null) return { action: 'hold', reason: textOf(facts.heldBecause) }
  return { action: 'start', reason: `there is ${purpose} work` }
}

export interface OrderFacts extends StartFacts {
  /** One of our coordinators can start the agent. */
  readonly startable: boolean
  /** A launch of the pair is already held. */
  readonly isHeld: boolean
}

/** What the server does: order a launch, hold one, release the held one, or nothing. */
export type OrderDecision =
  | { readonly order: 'launch' | 'release' | 'none' }
  | { readonly order: 'hold'; readonly because: Detail }

export function decideOrder(now: Instant, facts: OrderFacts): OrderDecision {
  if (!facts.startable) return { order: 'none' }
  const { action, reason } = agentAction(now, facts)
  if (action === 'none') return { order: 'none' }
  if (action === 'hold')
    return facts.isHeld
      ? { order: 'none' }
      : { order: 'hold', because: facts.heldBecause ?? reason }
  return { order: facts.isHeld ? 'release' : 'launch' }
}

// How often an agent may fail in a project before it is held (CO7). Each new message allows one
// more try, so that neither restarts nor waiting go on for ever.

/**
 * Ends that count as failures. Ordered stops, shutdowns, orphans and lost coordinators say nothing
 * about the agent.
 */
export const failedEnds = [
  'start_failed',
  'start_timeout',
  'crashed',
] as const satisfies readonly LaunchEndReason[]

export interface Failures {
  /** Within the window of the settings. */
  readonly count: number
  readonly lastDetail: Detail | null
}

export interface HeldLaunch {
  readonly since: Instant
  readonly because: Detail
  /** A message came after it was held. */
  readonly newMessage: boolean
}

/** With a limit of 0 the first failure is too many. */
export const failuresAllowed = (settings: ProjectSettings): number =>
  Math.max(1, Number(settings['restart.max']))

/** Why the agent is not started now; null when it may be. */
export function heldBecause(
  held: HeldLaunch | null,
  { count, lastDetail }: Failures,
  settings: ProjectSettings,
): Detail | null {
  if (held) return held.newMessage ? null : held.because
  if (count < failuresAllowed(settings)) return null
  const seconds = Number(settings['restart.window_seconds'])
  if (lastDetail === null)
    return count === 1
      ? statusNotice('failedOnce', { seconds })
      : statusNotice('failedOften', { count, seconds })
  const last = lastDetail
  return count === 1
    ? statusNotice('failedOnceLast', { seconds, last })
    : statusNotice('failedOftenLast', { count, seconds, last })
}
