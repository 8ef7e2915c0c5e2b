/**
 * The life of a work session: one execution of work in a project (WK1). Pure. An interrupted one is not gone on with but
 * resumed, by a child of its own (RS1).
 */
import type { EndReason } from '../agent-sessions/lifecycle.ts'
import type { Instant } from '../instant.ts'
import type { PlanStanding } from './plan.ts'

/** WK4. A caller may use a word of their own instead. */
export type InterruptionReason =
  | 'abandoned'
  | 'process_exited'
  | 'connection_error'
  | 'coordinator_lost'
  | 'error'
  | 'stopped'
  | 'task_failed'

export type WorkSession = { readonly id: string } & (
  | { readonly state: 'running'; readonly endedAt: null; readonly interruptionReason: null }
  | { readonly state: 'interrupted'; readonly endedAt: Instant; readonly interruptionReason: string }
  | { readonly state: 'completed'; readonly endedAt: Instant; readonly interruptionReason: null }
)

/** How a row stands: the table has no column for it, so that people read it as it was always written. */
export function workSessionOf(id: string, endedAt: Instant | null, interruptionReason: string | null): WorkSession {
  if (endedAt === null) return { id, state: 'running', endedAt, interruptionReason: null }
  return interruptionReason === null
    ? { id, state: 'completed', endedAt, interruptionReason }
    : { id, state: 'interrupted', endedAt, interruptionReason }
}

export type WorkSessionEvent =
  | { readonly type: 'complete' }
  | { readonly type: 'interrupt'; readonly reason: InterruptionReason | (string & {}) }

export type WorkSessionDecision =
  | { readonly outcome: 'changed'; readonly workSession: WorkSession }
  | { readonly outcome: 'unchanged' }
  | {
      readonly outcome: 'refused'
      readonly refusal:
        | { readonly code: 'work_session_completed' }
        | { readonly code: 'wrong_state'; readonly state: 'interrupted' }
    }

/**
 *   running ──complete──▶ completed          (final)
 *      └──────interrupt──▶ interrupted       (final; a resume begins a child)
 *
 * The same end again changes nothing, and the first reason stays the true one.
 */
export function decide(now: Instant, current: WorkSession, event: WorkSessionEvent): WorkSessionDecision {
  const { id } = current
  switch (current.state) {
    case 'running':
      if (event.type === 'complete')
        return { outcome: 'changed', workSession: { id, state: 'completed', endedAt: now, interruptionReason: null } }
      return { outcome: 'changed', workSession: { id, state: 'interrupted', endedAt: now, interruptionReason: event.reason } }
    case 'interrupted':
      return event.type === 'interrupt'
        ? { outcome: 'unchanged' }
        : { outcome: 'refused', refusal: { code: 'wrong_state', state: 'interrupted' } }
    case 'completed':
      return event.type === 'complete'
        ? { outcome: 'unchanged' }
        : { outcome: 'refused', refusal: { code: 'work_session_completed' } }
  }
}

/** What a person or script asked for: completed, unless they say otherwise or give a reason alone. */
export function endAsAsked({ completed, reason }: { completed?: boolean; reason?: string }): WorkSessionEvent {
  if (completed ?? reason === undefined) return { type: 'complete' }
  return { type: 'interrupt', reason: reason || 'stopped' }
}

/** AS9: what the end of an agent session does to the work session it drove; null: it goes on with whoever is next (WK5). */
export function endWithAgentSession(because: EndReason, plan: PlanStanding): WorkSessionEvent | null {
  const wasSentAway = because === 'work_done'
  if (plan === 'done' || wasSentAway || (because === 'logout' && plan === 'stuck')) return endOfPlan(plan)
  return { type: 'interrupt', reason: interruptions[because] ?? 'abandoned' }
}

/** WK5: what a plan that nobody is at comes to; null: it waits for somebody. */
export function endOfPlan(plan: PlanStanding): WorkSessionEvent | null {
  if (plan === 'open') return null
  return plan === 'done' ? { type: 'complete' } : { type: 'interrupt', reason: 'task_failed' }
}

/** A person who closes an agent session, or stops its process, stops the work. */
const interruptions: Readonly<Partial<Record<EndReason, InterruptionReason>>> = {
  process_exited: 'process_exited',
  coordinator_lost: 'coordinator_lost',
  closed: 'stopped',
}

/**
 * AS3, WK4: what an `in_progress` task means for an agent that signs in. In a running work session it is work there; in none it
 * is work that begins one; after an interruption only a resume makes it work again.
 */
export function workOfTask(standsIn: WorkSession['state'] | null): 'go_on' | 'begin' | 'no_work' {
  if (standsIn === null) return 'begin'
  return standsIn === 'running' ? 'go_on' : 'no_work'
}
