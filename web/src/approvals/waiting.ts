/** What waits for a decision: how many sessions, whatever shows the number. Pure. */
import type { Approval } from '../../../src/protocol/approvals/approval.ts'

/** The approvals of one turn are those of one session. */
export const askedIn = ({ id, permission, question }: Approval): string =>
  (permission ?? question)?.messageId ?? `approval-${id}`

/** What is decided and held waits for nobody. */
export const isOpen = ({ status, held }: Approval): boolean => status === 'pending' && !held
export const isHeldBack = ({ status, held }: Approval): boolean =>
  status === 'pending' && held !== null

export const countWaiting = (approvals: readonly Approval[]): number =>
  new Set(approvals.filter((each) => isOpen(each) && !each.ofOther).map(askedIn)).size
