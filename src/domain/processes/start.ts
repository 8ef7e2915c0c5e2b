/**
 * Whether an agent should be started in a project now (CO3). Used by the server and, as `get_agent_action`, by coordinators of
 * others. Pure.
 */
import { detectWork, type WorkFacts } from '../agent-sessions/work-detection.ts'
import type { Instant } from '../instant.ts'
import { type Detail, textOf } from '../notices.ts'

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
  if (purpose === 'no_work') return { action: 'none', reason: 'there is no work that no live session has' }
  // One at a time, because the process takes its work when it signs in. Checked first: a launch that a person released is under
  // way in spite of its failures (CO7).
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
  if (action === 'hold') return facts.isHeld ? { order: 'none' } : { order: 'hold', because: facts.heldBecause ?? reason }
  return { order: facts.isHeld ? 'release' : 'launch' }
}
