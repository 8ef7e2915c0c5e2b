/** Reads one approval of a project. */
import type { Approval } from '../protocol/approval.ts'
import { approvalOf } from '../store/queries/approvals.ts'
import { defineQuery } from '../store/store.ts'
import { existingApproval } from './existing-approval.ts'

export const readApproval = defineQuery({
  name: 'read-approval',
  run: async (reader, place: { projectId: string; approvalId: number }): Promise<Approval> =>
    approvalOf(await existingApproval(reader, place)),
})
