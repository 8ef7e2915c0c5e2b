/**
 * Decides what an agent asked a person, once: announced in the project, home and the turn's stream,
 * and told to the agent.
 */

import { systemId } from '../../domain/access/caller.ts'
import type { ApprovalEvent } from '../../domain/approvals/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import type { QuestionAnswer } from '../../domain/turns/question.ts'
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { PermissionOutcome } from '../../protocol/consoles/user-session.ts'
import {
  type ApprovalRow,
  selectAsked,
  selectPendingOfTurn,
} from '../../store/approvals/approvals.ts'
import { findLaunch } from '../../store/processes/launches.ts'
import type { Tx } from '../../store/store.ts'
import { relayRole, turnStream } from '../../store/turns/turns.ts'
import { moveApproval } from '../approvals/approval-record.ts'
import { lockTurn } from '../turns/move-turn.ts'
import { recordCheckpoint } from '../work/end-work-session.ts'

/** Decides an approval, and saves a checkpoint of the work that it was asked in (CK1). */
export async function decideRequest(
  tx: Tx,
  row: ApprovalRow,
  decision: Omit<Extract<ApprovalEvent, { type: 'decide' }>, 'type'>,
  now: Instant,
): Promise<Approval> {
  const approval = await moveApproval(tx, row, { type: 'decide', ...decision }, now)
  if (row.session_id !== null)
    await recordCheckpoint(tx, {
      projectId: row.project_id,
      workSessionId: row.session_id,
      reason: 'approval_decided',
      subject: String(row.id),
      now,
    })
  return approval
}

interface Settlement {
  readonly outcome: PermissionOutcome
  readonly optionId: string | null
  readonly by: string
  /** AP13: to a question. */
  readonly answer?: QuestionAnswer
  readonly feedback?: string | null
  readonly requestId?: string | undefined
}

const noAnswer: QuestionAnswer = { action: 'cancel', content: null }

/**
 * Settles a permission or a question, once. Returns the number of the event that says so, or 0 if
 * the turn does not run.
 */
export async function settlePermission(
  tx: Tx,
  row: ApprovalRow,
  settlement: Settlement,
  now: Instant,
): Promise<number> {
  const { outcome, optionId, by, feedback = null, requestId } = settlement
  const answer = row.question === null ? undefined : (settlement.answer ?? noAnswer)
  const given = answer ? JSON.stringify(answer) : null
  const settled = { ...row, outcome, option_id: optionId, answer: given }
  const verdict = outcome === 'allowed' ? 'approved' : 'rejected'
  await decideRequest(tx, settled, { verdict, by, feedback }, now)
  await tx.update('human_approvals', {
    id: row.id,
    outcome,
    option_id: optionId,
    answer: given,
  })
  const launch =
    outcome === 'withdrawn' || row.launch_id === null
      ? undefined
      : await findLaunch(tx, row.launch_id)
  if (launch && launch.state !== 'ended' && row.ask_id !== null) {
    const order = { launchId: launch.id, askId: row.ask_id, optionId, ...(answer && { answer }) }
    tx.append(coordinatorStream(launch.coordinatorId), { type: 'permission-settled', data: order })
  }
  const turn = row.turn_id === null ? undefined : await tx.row('turns', { id: row.turn_id })
  if (turn) lockTurn(tx, turn)
  if (turn?.state !== 'running') return 0
  const resolved = { role: relayRole(turn), outcome, decidedBy: by, requestId }
  if (answer)
    return tx.append(turnStream(turn), {
      type: 'question:resolved',
      data: { ...resolved, questionId: row.id, ...answer },
    })
  const data = { ...resolved, approvalId: row.id, optionId }
  return tx.append(turnStream(turn), { type: 'permission:resolved', data })
}

export async function withdrawPermissions(tx: Tx, turnId: string, now: Instant): Promise<void> {
  for (const row of await tx.all(selectPendingOfTurn, { turnId }))
    await withdrawPermission(tx, row, now)
}

/** Withdraws a permission request at the agent's wish. */
export async function withdrawRequest(
  tx: Tx,
  asked: { launchId: string; askId: string },
  now: Instant,
): Promise<void> {
  const row = await tx.first(selectAsked, asked)
  if (row?.status === 'pending') await withdrawPermission(tx, row, now)
}

async function withdrawPermission(tx: Tx, row: ApprovalRow, now: Instant): Promise<void> {
  await settlePermission(tx, row, { outcome: 'withdrawn', optionId: null, by: systemId }, now)
}
