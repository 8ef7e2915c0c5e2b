/** Expires a permission request past its deadline (AP4). The agent gets a refusal. Running this too early changes nothing. */
import { systemId } from '../../domain/access/caller.ts'
import { selectApproval } from '../../store/approvals/approvals.ts'
import { defineUseCase } from '../../store/store.ts'
import { permissionStreams, refusingOption, settlePermission } from './permission-record.ts'
import type { PermissionLocks } from './queries.ts'

export const expirePermission = defineUseCase({
  name: 'expire-permission',
  streams: (input: PermissionLocks) => permissionStreams(input),
  run: async (tx, { approvalId, userSessionId }, { now }): Promise<{ expired: boolean }> => {
    const row = await tx.first(selectApproval, { id: approvalId })
    const isDue = row?.status === 'pending' && row.deadline !== null && row.deadline <= now
    if (!isDue || row.user_session_id !== userSessionId) return { expired: false }
    await settlePermission(tx, row, { outcome: 'expired', optionId: refusingOption(row), by: systemId }, now)
    return { expired: true }
  },
})
