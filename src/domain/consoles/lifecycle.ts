/**
 * The lifecycle of an agent in a role of a user session (AG1). Pure. A requested end waits for the process to exit, up to a time
 * limit (US4).
 */
import { statusText } from '../sentences.ts'

/** How its process ended, as the launch reports it. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** With the last lines of output. */
  readonly error: string
  /** A person stopped the process itself. */
  readonly stoppedByPerson: boolean
  /** Holdfast ended it, because the agent sleeps. */
  readonly toSleep: boolean
}

export type FailedStep = 'workspace' | 'process' | 'initialize' | 'session' | 'running'

/** A requested end, with the reason. */
export interface Leaving {
  readonly reason: string
}

export interface RoleAgentLife {
  readonly state: 'SPAWNING' | 'ACTIVE' | 'FAILED' | 'TERMINATED'
  readonly leaving: Leaving | null
  /** ACTIVE without a process; one is started when something waits for it (AG7). */
  readonly asleep: boolean
}

export type RoleAgentEvent =
  | { readonly type: 'ready' }
  | {
      readonly type: 'failed'
      readonly step: Exclude<FailedStep, 'running'>
      readonly error: string
      readonly exitCode?: number | null | undefined
      readonly signal?: string | null | undefined
    }
  | { readonly type: 'process-ended'; readonly end: ProcessEnd }
  | { readonly type: 'sleep' }
  /** `processLeft`: its process has to exit first. */
  | { readonly type: 'terminate'; readonly reason: string; readonly processLeft: boolean }
  /** The process did not exit in time. */
  | { readonly type: 'gave-up' }

export type RoleAgentDecision =
  | { readonly became: 'ready' }
  | { readonly became: 'asleep' }
  | {
      readonly became: 'failed'
      readonly step: FailedStep
      readonly error: string
      readonly exitCode: number | null
      readonly signal: string | null
    }
  | { readonly became: 'leaving'; readonly reason: string }
  | { readonly became: 'terminated'; readonly reason: string }
  | { readonly became: 'unchanged' }

const unchanged: RoleAgentDecision = { became: 'unchanged' }

/** Time for a process to exit (US4); its coordinator kills it then. */
export const leavingWithinMs = 5000

/**
 *   SPAWNING ──ready──▶ ACTIVE ──process ended──▶ FAILED ──terminate──▶ TERMINATED      (final)
 *      │ failed, process ended                      ▲                      ▲
 *      ├────────────────────────────────────────────┘                      │
 *      └── terminate, in any state: leaving ──process ended, gave up───────┘
 *
 * ACTIVE ──sleep──▶ asleep, its process ended ──ready, of another──▶ ACTIVE. One that cannot be woken has failed.
 *
 * Whoever is leaving neither becomes ready nor fails. Any end of the process that nobody asked for is a failure (AG4).
 */
export function decide({ state, leaving, asleep }: RoleAgentLife, event: RoleAgentEvent): RoleAgentDecision {
  if (state === 'TERMINATED') return unchanged
  const starts = (state === 'SPAWNING' || (state === 'ACTIVE' && asleep)) && !leaving
  switch (event.type) {
    case 'ready':
      return starts ? { became: 'ready' } : unchanged
    case 'failed':
      if (!starts) return unchanged
      return {
        became: 'failed',
        step: event.step,
        error: event.error,
        exitCode: event.exitCode ?? null,
        signal: event.signal ?? null,
      }
    case 'process-ended':
      if (leaving) return { became: 'terminated', reason: leaving.reason }
      if (event.end.stoppedByPerson) return { became: 'terminated', reason: statusText('stoppedByPerson') }
      if (asleep && event.end.toSleep) return unchanged
      // The failure was reported before its process exited.
      return state === 'FAILED' ? unchanged : failedWith(state, event.end)
    case 'sleep':
      return state === 'ACTIVE' && !leaving && !asleep ? { became: 'asleep' } : unchanged
    case 'terminate':
      if (leaving) return unchanged
      return { became: event.processLeft ? 'leaving' : 'terminated', reason: event.reason }
    case 'gave-up':
      return leaving ? { became: 'terminated', reason: leaving.reason } : unchanged
  }
}

function failedWith(state: 'SPAWNING' | 'ACTIVE', { error, exitCode, signal }: ProcessEnd): RoleAgentDecision {
  return { became: 'failed', step: state === 'ACTIVE' ? 'running' : 'process', error, exitCode, signal }
}
