/**
 * A decision about an approval or its resubmission, written and told in its project and at home. Exactly one decision wins,
 * because both streams are locked; whoever comes later is told who decided what (AP1).
 */

import { type ApprovalEvent, type ApprovalRefusal, decide, type Verdict } from '../domain/approval/lifecycle.ts'
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { home, projectStream } from '../domain/stream/name.ts'
import type { Approval } from '../protocol/approval.ts'
import {
  type ApprovalRow,
  approvalColumns,
  approvalFrom,
  approvalOf,
  updateApproval,
  updateToldTo,
} from '../store/queries/approvals.ts'
import type { Tx } from '../store/store.ts'
import { noteCheckpoint } from './note-checkpoint.ts'

const told = { decide: 'approval-decided', resubmit: 'approval-resubmitted' } as const

/** The use case names `home` and the project's stream. */
export async function moveApproval(tx: Tx, row: ApprovalRow, event: ApprovalEvent, now: Instant): Promise<Approval> {
  const decision = decide(now, approvalFrom(row), event)
  if (decision.outcome === 'refused') throw refusalOf(row.id, decision.refusal)
  const moved = { ...row, ...approvalColumns(decision.approval) }
  await tx.write(updateApproval, moved)
  if (row.told_to !== null) await tx.write(updateToldTo, { id: row.id, agentSessionId: null })
  const approval = approvalOf(moved)
  tx.append(projectStream(row.project_id), { type: told[event.type], data: { approval } }, [home])
  const { project_id: projectId, session_id: workSessionId } = row
  if (event.type === 'decide' && workSessionId !== null)
    await noteCheckpoint(tx, { projectId, workSessionId, reason: 'approval_decided', subject: String(row.id), now })
  return approval
}

const hasDone = { approved: 'hasApproved', rejected: 'hasRejected', revision_requested: 'hasSentBack' } as const satisfies Record<
  Verdict,
  string
>

function refusalOf(approvalId: number, refusal: ApprovalRefusal): Refusal {
  if (refusal.code === 'wrong_state') {
    const detail = because('approvalNotBack', { id: approvalId, state: refusal.status })
    return new Refusal('wrong_state', detail, { state: refusal.status, wanted: 'revision_requested' })
  }
  const { decidedBy, decision } = refusal
  return new Refusal('approval_decided', because(hasDone[decision], { id: approvalId, who: decidedBy }), { decidedBy, decision })
}
