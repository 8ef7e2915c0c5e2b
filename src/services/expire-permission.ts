/** A permission that nobody has answered in time (AP4): expired, which the agent is told as a refusal. Looked at too early it stays. */
import { systemId } from '../domain/credential/who.ts'
import { selectApproval } from '../store/queries/approvals.ts'
import { defineUseCase } from '../store/store.ts'
import type { WhichPermission } from './find-permission.ts'
import { permissionStreams, refusingOption, settlePermission } from './permission-record.ts'

export const expirePermission = defineUseCase({
  name: 'expire-permission',
  streams: (input: WhichPermission) => permissionStreams(input),
  run: async (tx, { approvalId, userSessionId }, { now }): Promise<{ expired: boolean }> => {
    const row = await tx.first(selectApproval, { id: approvalId })
    const isDue = row?.status === 'pending' && row.deadline !== null && row.deadline <= now
    if (!isDue || row.user_session_id !== userSessionId) return { expired: false }
    await settlePermission(tx, row, { outcome: 'expired', optionId: refusingOption(row), by: systemId }, now)
    return { expired: true }
  },
})
