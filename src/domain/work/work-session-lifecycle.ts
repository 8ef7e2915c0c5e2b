/**
 * The lifecycle of a work session: one execution of work in a project (WK1). An interrupted one is resumed by a new child session
 * (RS1). Pure.
 */
import type { EndReason } from '../agent-sessions/lifecycle.ts'
import type { Instant } from '../instant.ts'
import type { PlanStanding } from './plan.ts'

/** WK4. Callers may use another word instead. */
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

/** The state of a row. The table has no column for it. */
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

/** A requested end: completed, unless another status or only a reason is given. */
export function endAsAsked({ completed, reason }: { completed?: boolean; reason?: string }): WorkSessionEvent {
  if (completed ?? reason === undefined) return { type: 'complete' }
  return { type: 'interrupt', reason: reason || 'stopped' }
}

/** AS9: the effect of an agent session's end on its work session; null: it continues (WK5). */
export function endWithAgentSession(because: EndReason, plan: PlanStanding): WorkSessionEvent | null {
  const wasSentAway = because === 'work_done'
  if (plan === 'done' || wasSentAway || (because === 'logout' && plan === 'stuck')) return endOfPlan(plan)
  return { type: 'interrupt', reason: interruptions[because] ?? 'abandoned' }
}

/** WK5: the result of a plan that nobody works on; null: it waits. */
export function endOfPlan(plan: PlanStanding): WorkSessionEvent | null {
  if (plan === 'open') return null
  return plan === 'done' ? { type: 'complete' } : { type: 'interrupt', reason: 'task_failed' }
}

/** Closing an agent session or stopping its process by hand stops the work. */
const interruptions: Readonly<Partial<Record<EndReason, InterruptionReason>>> = {
  process_exited: 'process_exited',
  coordinator_lost: 'coordinator_lost',
  closed: 'stopped',
}

/**
 * AS3, WK4: what an `in_progress` task means for an agent that signs in. In a running work session it is work; without one it
 * begins one; after an interruption only a resume makes it work again.
 */
export function workOfTask(standsIn: WorkSession['state'] | null): 'go_on' | 'begin' | 'no_work' {
  if (standsIn === null) return 'begin'
  return standsIn === 'running' ? 'go_on' : 'no_work'
}
