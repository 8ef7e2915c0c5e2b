/** The decision on an approval in a few words, and its mark. */

import type { Approval } from '../../../src/protocol/approvals/approval.ts'
import { useDecider } from '../live/display-names.ts'
import { useMe } from '../live/queries.ts'
import type { LiveState } from '../shell/state-dot.tsx'
import { useWords } from '../translations/messages.tsx'
import { useAskingWords } from './words.ts'

const dots: Record<Approval['status'], LiveState> = {
  pending: 'waiting',
  approved: 'ready',
  rejected: 'failed',
  revision_requested: 'starting',
}

/** The outcome of a permission that no person refused: it expired, or its agent went away. */
export const unansweredOf = ({ outcome }: Approval): 'expired' | 'withdrawn' | undefined =>
  outcome === 'expired' || outcome === 'withdrawn' ? outcome : undefined

export const approvalDot = (approval: Approval): LiveState =>
  unansweredOf(approval) ? 'starting' : dots[approval.status]

/** Who decided what; nothing while it waits. */
export function DecidedLine({ approval }: { approval: Approval }) {
  const { approvals } = useWords()
  const askingWords = useAskingWords()
  const deciderOf = useDecider()
  const me = useMe()
  const { decidedBy, status } = approval
  if (status === 'pending') return null
  const unanswered = unansweredOf(approval)
  const who =
    decidedBy === null ? '' : decidedBy === me?.id ? approvals.byYou : deciderOf(decidedBy)
  return (
    <span className="font-medium">
      {unanswered ? askingWords.outcomes[unanswered] : approvals.decided[status](who)}
    </span>
  )
}
