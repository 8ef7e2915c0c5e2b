/**
 * Tells what a decision chooses of what a permission or a question offers. An option must be an
 * answer of the kind that is said; any option of a question approves it (AP14).
 */
import { isChoice, outcomeOf } from '../../domain/approvals/permission.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { PermissionChoice } from '../../services/flows/approvals/decide-request.ts'
import { invalidField } from '../../services/refusals.ts'

export function chosenBy(
  status: 'approved' | 'rejected' | 'revision_requested',
  optionId: string | undefined,
  options: NonNullable<Approval['permission']>['options'],
): PermissionChoice {
  const isYes = status === 'approved'
  if (optionId === undefined) return { choose: isYes ? 'allow' : 'deny' }
  const found = outcomeOf(optionId, options)
  const outcome = found && isChoice(options) ? 'allowed' : found
  if (outcome && (outcome === 'allowed') !== isYes)
    throw invalidField('optionId', refusalText('optionWithNo'))
  return { optionId }
}
