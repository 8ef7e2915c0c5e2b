/** Paging through approvals: their ids are numbers, and the inbox is ordered by when each was submitted last (HT1). */
import { because } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Approval } from '../../protocol/approval.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import { cutPageBy, pageParams } from './page-cursor.ts'

interface ApprovalKey {
  readonly submittedAt: Instant
  readonly id: number
}

const beforeAll: ApprovalKey = { submittedAt: '', id: 0 }
const numberForm = /^\d{1,15}$/

/** The last approval seen; before the first page, one that none comes before. */
export function approvalKeyOf(page: PageQuery): ApprovalKey {
  if (page.cursor === undefined) return beforeAll
  const { createdAt, id } = pageParams(page)
  if (!numberForm.test(id)) throw new Refusal('invalid_request', `cursor: ${because('notACursor')}`, { field: 'cursor' })
  return { submittedAt: createdAt, id: Number(id) }
}

export const cutApprovalsPage = (found: readonly Approval[], limit: number): Page<Approval> =>
  cutPageBy(found, limit, ({ submittedAt, id }) => ({ createdAt: submittedAt, id: String(id) }))
