/** Revokes an allowance (AG6). A repeated request changes nothing. */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { Allowance } from '../../protocol/approvals/allowance.ts'
import { allowanceOf, selectAllowance, updateRevoked } from '../../store/approvals/allowances.ts'
import { defineUseCase } from '../../store/store.ts'

export const revokeAllowance = defineUseCase({
  name: 'revoke-allowance',
  streams: ({ projectId }: { projectId: string; allowanceId: string; by: string }) => [projectStream(projectId)],
  run: async (tx, { projectId, allowanceId, by }, { now }): Promise<Allowance> => {
    const row = await tx.first(selectAllowance, { id: allowanceId })
    if (row?.project_id !== projectId) throw new Refusal('not_found', refusalText('noAllowance'), { allowanceId })
    if (row.revoked_at !== null) return allowanceOf(row)
    await tx.write(updateRevoked, { id: allowanceId, now, by })
    const allowance = allowanceOf({ ...row, revoked_at: now, revoked_by: by })
    tx.append(projectStream(projectId), { type: 'allowance-revoked', data: { allowance } })
    return allowance
  },
})
