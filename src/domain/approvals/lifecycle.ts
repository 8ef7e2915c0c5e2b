/**
 * The lifecycle of an approval (AP1). Exactly one decision wins; later callers learn who decided
 * what. A decision may be held for some seconds (AP15), in which it can be taken back. Earlier
 * submissions and the feedback on them move into the history. Pure.
 */
import { type Instant, later } from '../instant.ts'

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

/** For how many seconds a decision may be held. */
export const holdSeconds = { min: 1, max: 10 } as const

/** A decision that is made and not yet carried out. */
export interface Held {
  readonly by: string
  readonly until: Instant
  readonly status: Verdict
}

interface ApprovalParts extends Submission {
  readonly id: number
  readonly submittedAt: Instant
  /** Oldest first. */
  readonly revisionHistory: readonly Revision[]
  /** Once it is decided: what was held, and did not come to pass because it ended before. */
  readonly held: Held | null
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

interface Decision {
  readonly verdict: Verdict
  readonly by: string
  readonly feedback: string | null
}

export type ApprovalEvent =
  | (Decision & { readonly type: 'decide' })
  /** What was held is decided. */
  | (Decision & { readonly type: 'carry-out' })
  /** Nobody can decide it any more: withdrawn, expired, its project deleted. */
  | (Decision & { readonly type: 'end' })
  | {
      readonly type: 'hold'
      readonly verdict: Verdict
      readonly by: string
      readonly seconds: number
    }
  | { readonly type: 'take-back'; readonly by: string }
  /** What was held cannot be carried out. */
  | { readonly type: 'drop' }
  /** Unnamed fields stay. */
  | { readonly type: 'resubmit'; readonly submission: Partial<Submission> }

export type ApprovalRefusal =
  | { readonly code: 'approval_decided'; readonly decidedBy: string; readonly decision: Verdict }
  /** No revision was requested. */
  | { readonly code: 'wrong_state'; readonly status: 'pending' }
  | { readonly code: 'nothing_held' }
  | { readonly code: 'invalid_hold' }

export type ApprovalDecision =
  | { readonly outcome: 'changed'; readonly approval: Approval }
  | { readonly outcome: 'refused'; readonly refusal: ApprovalRefusal }

/**
 *                 ┌──▶ approved                 (final)
 *   pending ──────┼──▶ rejected                 (final)
 *      ▲          └──▶ revision_requested
 *      └──resubmit──────────┘
 *
 * A held decision leaves it pending; others are refused until it is carried out or taken back.
 */
export function decideApproval(
  now: Instant,
  current: Approval,
  event: ApprovalEvent,
): ApprovalDecision {
  if (current.status === 'pending') return decidePending(now, current, event)
  if (event.type !== 'resubmit' || current.status !== 'revision_requested')
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
    held: null,
    revisionHistory: [...current.revisionHistory, revisionOf(current)],
  })
}

function decidePending(
  now: Instant,
  current: PendingApproval,
  event: ApprovalEvent,
): ApprovalDecision {
  const { held } = current
  switch (event.type) {
    case 'resubmit':
      return refused({ code: 'wrong_state', status: current.status })
    case 'decide':
      return held ? refused(heldBy(held)) : changed(decided(now, current, event, null))
    case 'carry-out':
      return changed(decided(now, current, event, null))
    case 'end':
      return changed(decided(now, current, event, held))
    case 'hold': {
      if (held) return refused(heldBy(held))
      const { by, verdict: status, seconds } = event
      const { min, max } = holdSeconds
      if (!Number.isInteger(seconds) || seconds < min || seconds > max)
        return refused({ code: 'invalid_hold' })
      return changed({ ...current, held: { by, until: later(now, seconds * 1000), status } })
    }
    case 'take-back':
      if (!held) return refused({ code: 'nothing_held' })
      return held.by === event.by ? changed({ ...current, held: null }) : refused(heldBy(held))
    case 'drop':
      return changed({ ...current, held: null })
  }
}

const decided = (
  now: Instant,
  current: PendingApproval,
  { verdict, by, feedback }: Decision,
  held: Held | null,
): DecidedApproval => ({
  ...current,
  status: verdict,
  resolvedAt: now,
  decidedBy: by,
  feedback,
  held,
})

const heldBy = ({ by, status }: Held): ApprovalRefusal => ({
  code: 'approval_decided',
  decidedBy: by,
  decision: status,
})

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
