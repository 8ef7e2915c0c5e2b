/** The lineage of work sessions (RS1), and whether one may be resumed (RS3). Pure. */
import type { WorkSession } from './work-session-lifecycle.ts'

/** Generations searched for what was learned. */
export const maxAncestors = 1000

/** Failed attempts after which it is not resumed again. */
const maxResumeFailures = 2

export type ResumeDecision =
  | { readonly outcome: 'fork' }
  /** Already resumed, and running. */
  | { readonly outcome: 'same'; readonly childId: string }
  | {
      readonly outcome: 'refused'
      readonly refusal:
        | { readonly code: 'work_session_running' | 'work_session_completed' }
        | { readonly code: 'set_aside'; readonly reason: string }
    }

export interface ResumeFacts {
  readonly state: WorkSession['state']
  readonly setAside: string | null
  /** Of all its descendants. */
  readonly runningId: string | null
}

/**
 *   interrupted ──resume──▶ one child; the same, or what was resumed from it, while that runs; then another
 */
export function decideResume({ state, setAside, runningId }: ResumeFacts): ResumeDecision {
  if (state === 'running') return { outcome: 'refused', refusal: { code: 'work_session_running' } }
  if (state === 'completed') return { outcome: 'refused', refusal: { code: 'work_session_completed' } }
  if (runningId !== null) return { outcome: 'same', childId: runningId }
  return setAside === null ? { outcome: 'fork' } : { outcome: 'refused', refusal: { code: 'set_aside', reason: setAside } }
}

/** RS3: the result of a failed attempt. */
export const afterFailure = (failures: number, why: string): { failures: number; setAside: string | null } => ({
  failures: failures + 1,
  setAside: failures + 1 >= maxResumeFailures ? why : null,
})
