/** Who comes from whom (RS1), and whether a work session may be resumed (RS3). Pure. */
import type { WorkSession } from './work-session-lifecycle.ts'

/** Generations that are looked back to for what was learned; more than anybody ever resumes. */
export const maxAncestors = 1000

/** After so many attempts that failed it is not tried again. */
const maxResumeFailures = 2

export type ResumeDecision =
  | { readonly outcome: 'fork' }
  /** It was resumed already and that is going on. */
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
  /** Of all that come from it. */
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

/** RS3: what a failed attempt makes of it. */
export const afterFailure = (failures: number, why: string): { failures: number; setAside: string | null } => ({
  failures: failures + 1,
  setAside: failures + 1 >= maxResumeFailures ? why : null,
})
