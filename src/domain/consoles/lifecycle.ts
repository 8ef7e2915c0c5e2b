/**
 * The life of an agent in a role of a user session (AG1), from its spawn to its end. Pure. An end that was asked for waits until the
 * process has gone, but not for ever: then it is given up on, and the rest goes on (US4).
 */
import { statusText } from '../sentences.ts'

/** What became of its process, in the words of the launch. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** In words, with the last lines it wrote. */
  readonly error: string
  /** Somebody had the process itself stopped. */
  readonly stoppedByPerson: boolean
  /** We had it ended, because it sleeps. */
  readonly toSleep: boolean
}

export type FailedStep = 'workspace' | 'process' | 'initialize' | 'session' | 'running'

/** That an end was asked for, and why. */
export interface Leaving {
  readonly reason: string
}

export interface RoleAgentLife {
  readonly state: 'SPAWNING' | 'ACTIVE' | 'FAILED' | 'TERMINATED'
  readonly leaving: Leaving | null
  /** It is ACTIVE without a process that can be prompted; one is started when something waits for it (AG7). */
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
  /** `processLeft`: there is one that has to go first. */
  | { readonly type: 'terminate'; readonly reason: string; readonly processLeft: boolean }
  /** It was asked to go and did not within its time. */
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

/** How long a process has to go (US4); its coordinator kills it then. */
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
      // What it failed of was told before; that its process has gone then is no news.
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
