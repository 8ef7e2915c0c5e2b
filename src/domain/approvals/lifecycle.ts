/**
 * The lifecycle of an approval (AP1). Exactly one decision wins; later callers learn who decided
 * what. Earlier submissions and the feedback on them move into the history. Pure.
 */
import type { Instant } from '../instant.ts'

export type Verdict = 'approved' | 'rejected' | 'revision_requested'

/** What a person is asked to approve. */
export interface Submission {
  readonly instructionContent: string | null
  readonly workerInstructions: readonly unknown[]
  readonly artifacts: readonly unknown[]
}

/** An earlier submission, and why it had to be revised. */
export type Revision = Submission & {
  readonly submittedAt: Instant
  readonly resolvedAt: Instant
  readonly decidedBy: string
  readonly feedback: string | null
}

interface ApprovalParts extends Submission {
  readonly id: number
  readonly submittedAt: Instant
  /** Oldest first. */
  readonly revisionHistory: readonly Revision[]
}

export type PendingApproval = ApprovalParts & {
  readonly status: 'pending'
  readonly resolvedAt: null
  readonly decidedBy: null
  readonly feedback: null
}
export type DecidedApproval = ApprovalParts & {
  readonly status: Verdict
  readonly resolvedAt: Instant
  readonly decidedBy: string
  readonly feedback: string | null
}
export type Approval = PendingApproval | DecidedApproval

export type ApprovalEvent =
  | {
      readonly type: 'decide'
      readonly verdict: Verdict
      readonly by: string
      readonly feedback: string | null
    }
  /** Unnamed fields stay. */
  | { readonly type: 'resubmit'; readonly submission: Partial<Submission> }

export type ApprovalRefusal =
  | { readonly code: 'approval_decided'; readonly decidedBy: string; readonly decision: Verdict }
  /** No revision was requested. */
  | { readonly code: 'wrong_state'; readonly status: 'pending' }

export type ApprovalDecision =
  | { readonly outcome: 'changed'; readonly approval: Approval }
  | { readonly outcome: 'refused'; readonly refusal: ApprovalRefusal }

/**
 *                 ┌──▶ approved                 (final)
 *   pending ──────┼──▶ rejected                 (final)
 *      ▲          └──▶ revision_requested
 *      └──resubmit──────────┘
 */
export function decideApproval(
  now: Instant,
  current: Approval,
  event: ApprovalEvent,
): ApprovalDecision {
  if (current.status === 'pending') {
    if (event.type === 'resubmit') return refused({ code: 'wrong_state', status: current.status })
    const { verdict, by, feedback } = event
    return changed({ ...current, status: verdict, resolvedAt: now, decidedBy: by, feedback })
  }
  if (event.type === 'decide' || current.status !== 'revision_requested')
    return refused({
      code: 'approval_decided',
      decidedBy: current.decidedBy,
      decision: current.status,
    })
  return changed({
    ...current,
    ...named(event.submission),
    status: 'pending',
    submittedAt: now,
    resolvedAt: null,
    decidedBy: null,
    feedback: null,
    revisionHistory: [...current.revisionHistory, revisionOf(current)],
  })
}

const named = (submission: Partial<Submission>): Partial<Submission> =>
  Object.fromEntries(Object.entries(submission).filter(([, value]) => value !== undefined))

const revisionOf = ({
  instructionContent,
  workerInstructions,
  artifacts,
  submittedAt,
  resolvedAt,
  decidedBy,
  feedback,
}: DecidedApproval): Revision => ({
  instructionContent,
  workerInstructions,
  artifacts,
  submittedAt,
  resolvedAt,
  decidedBy,
  feedback,
})

const changed = (approval: Approval): ApprovalDecision => ({ outcome: 'changed', approval })
const refused = (refusal: ApprovalRefusal): ApprovalDecision => ({ outcome: 'refused', refusal })
