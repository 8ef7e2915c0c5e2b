/**
 * Whether an agent should be started in a project now (CO3). Asked by our own coordinators' server and, as
 * `get_agent_action`, by coordinators that others write. Pure.
 */
import { detectWork, type WorkFacts } from '../agent-sessions/work-detection.ts'
import type { Instant } from '../instant.ts'
import { type Detail, textOf } from '../notices.ts'

export interface StartFacts extends WorkFacts {
  /** A start was ordered, or a process is starting, that has not signed in yet. */
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
  // Which work the starting process will take is decided when it signs in, so one at a time. First, because one that a person has
  // let go is under way although it has failed too often (CO7).
  if (facts.startOutstanding) return { action: 'none', reason: 'a start is under way' }
  if (facts.heldBecause !== null) return { action: 'hold', reason: textOf(facts.heldBecause) }
  return { action: 'start', reason: `there is ${purpose} work` }
}

export interface OrderFacts extends StartFacts {
  /** The agent can be started by a coordinator of ours. */
  readonly startable: boolean
  /** A launch of the pair is held already. */
  readonly isHeld: boolean
}

/** What the server does about it itself: order a launch, hold one, let the held one go, or nothing. */
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
