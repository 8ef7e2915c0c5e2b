/** Finds, creates and moves approvals, tool permissions and questions among them. */

import {
  type ApprovalEvent,
  type ApprovalRefusal,
  decideApproval,
  holdSeconds,
  type Verdict,
} from '../../domain/approvals/lifecycle.ts'
import { isChoice, optionFor } from '../../domain/approvals/permission.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import {
  type ApprovalRow,
  approvalColumns,
  approvalFrom,
  approvalOf,
  nextApprovalId,
  type PermissionColumns,
} from '../../store/approvals/approvals.ts'
import { newRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { ownerOfApproval } from '../access/owners.ts'
import { type ContextCaller, personOfCaller } from '../conversations/own-conversation.ts'
import { noSuchApproval, noSuchProject } from '../refusals.ts'

interface ApprovalLocation {
  /** Left out: whichever it is of. Its number is its own over all projects. */
  readonly projectId?: string | undefined
  readonly approvalId: number
}

/** An approval of a project. Another project's is not found. */
export async function existingApproval(
  reader: Reader,
  { projectId, approvalId }: ApprovalLocation,
): Promise<ApprovalRow> {
  const row = await reader.row('human_approvals', { id: approvalId })
  const where = projectId ?? row?.project_id
  if (where !== undefined && !(await reader.row('projects', { id: where })))
    throw noSuchProject(where)
  if (!row || row.project_id !== where) throw noSuchApproval(approvalId)
  return row
}

/**
 * SE3, SE28: an agent finds its own approvals only, and what was asked in a console in that
 * person's consoles only.
 */
export async function approvalOfAgent(
  reader: Reader,
  place: ApprovalLocation,
  caller: ContextCaller,
): Promise<ApprovalRow> {
  const row = await existingApproval(reader, place)
  if (row.leader_id !== caller.agentId || !(await isOfCaller(reader, row, caller)))
    throw noSuchApproval(place.approvalId)
  return row
}

export async function isOfCaller(
  reader: Reader,
  row: ApprovalRow,
  caller: ContextCaller,
): Promise<boolean> {
  const owner = await ownerOfApproval(reader, row)
  return owner === null || (owner !== undefined && owner === (await personOfCaller(reader, caller)))
}

const eventTypes = {
  decide: 'approval-decided',
  'carry-out': 'approval-decided',
  end: 'approval-decided',
  resubmit: 'approval-resubmitted',
  hold: 'approval-held',
  'take-back': 'approval-taken-back',
  drop: 'approval-taken-back',
} as const satisfies Record<ApprovalEvent['type'], string>

/**
 * Moves an approval to another state and announces it in its project and home. Exactly one decision
 * wins; later callers learn who decided (AP1).
 */
export async function moveApproval(
  tx: Tx,
  row: ApprovalRow,
  event: ApprovalEvent,
  now: Instant,
  /** What will be carried out, of a decision that is held. */
  heldDecision: string | null = null,
): Promise<Approval> {
  tx.lock(projectStream(row.project_id))
  const decision = decideApproval(now, approvalFrom(row), event)
  if (decision.outcome === 'refused') throw refusalOf(row.id, decision.refusal)
  const changed = { ...approvalColumns(decision.approval), held_decision: heldDecision }
  const moved = { ...row, ...changed }
  await tx.update('human_approvals', {
    ...changed,
    // A decision made here replaces what files said.
    imported_decider: null,
    told_to: null,
  })
  const approval = approvalOf(moved)
  tx.append(projectStream(row.project_id), { type: eventTypes[event.type], data: { approval } }, [
    home,
  ])
  return approval
}

const decidedTexts = {
  approved: 'hasApproved',
  rejected: 'hasRejected',
  revision_requested: 'hasSentBack',
} as const satisfies Record<Verdict, string>

function refusalOf(approvalId: number, refusal: ApprovalRefusal): Refusal {
  if (refusal.code === 'wrong_state') {
    const detail = refusalText('approvalNotBack', { id: approvalId, state: refusal.status })
    return new Refusal('wrong_state', detail, {
      state: refusal.status,
      wanted: 'revision_requested',
    })
  }
  if (refusal.code === 'invalid_hold') return new Refusal('invalid_hold', undefined, holdSeconds)
  if (refusal.code === 'nothing_held')
    return new Refusal('wrong_state', refusalText('nothingHeld', { id: approvalId }))
  const { decidedBy, decision } = refusal
  return new Refusal(
    'approval_decided',
    refusalText(decidedTexts[decision], { id: approvalId, who: decidedBy }),
    {
      decidedBy,
      decision,
    },
  )
}

interface NewApproval {
  readonly projectId: string
  readonly workSessionId: string | null
  readonly taskId: string | null
  readonly checkpointType: string
  readonly leaderId: string
  readonly agentSessionId: string | null
  readonly conversationKey?: string | null | undefined
  readonly instructionContent?: string | null | undefined
  readonly workerInstructions?: readonly unknown[] | undefined
  readonly artifacts?: readonly unknown[] | undefined
  readonly permission?: PermissionColumns
}

/**
 * Creates an approval for a person, script or agent. It is durable and numbered, in `home`, before
 * it is shown (AP3).
 */
export async function addApproval(tx: Tx, draft: NewApproval, now: Instant): Promise<Approval> {
  const row = newRow('human_approvals', {
    id: await nextApprovalId(tx),
    session_id: draft.workSessionId,
    project_id: draft.projectId,
    checkpoint_type: draft.checkpointType,
    leader_id: draft.leaderId,
    task_id: draft.taskId,
    asked_by_agent_session_id: draft.agentSessionId,
    conversation_key: draft.conversationKey ?? null,
    submitted_at: now,
    instruction_content: draft.instructionContent ?? null,
    worker_instructions: JSON.stringify(draft.workerInstructions ?? []),
    artifacts: JSON.stringify(draft.artifacts ?? []),
    ...draft.permission,
  })
  await tx.insert('human_approvals', row)
  const approval = approvalOf(row)
  tx.append(projectStream(row.project_id), { type: 'approval-asked', data: { approval } }, [home])
  return approval
}

/** AP14: no option refuses a question. */
export function refusingOption(row: ApprovalRow): string | null {
  const options = JSON.parse(row.options ?? '[]')
  return isChoice(options) ? null : optionFor('deny', options)
}
