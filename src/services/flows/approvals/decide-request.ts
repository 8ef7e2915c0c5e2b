/**
 * Decides what an agent asked a person, once: announced in the project, home and the turn's stream,
 * and told to the agent.
 */

import { systemId } from '../../../domain/access/caller.ts'
import type { ApprovalEvent, Verdict } from '../../../domain/approvals/lifecycle.ts'
import type { Instant } from '../../../domain/instant.ts'
import { coordinatorStream } from '../../../domain/stream-name.ts'
import type { QuestionAnswer } from '../../../domain/turns/question.ts'
import type { AlwaysTerms } from '../../../protocol/approvals/allowance.ts'
import type { Approval } from '../../../protocol/approvals/approval.ts'
import type { PermissionOutcome } from '../../../protocol/consoles/user-session.ts'
import {
  type ApprovalRow,
  selectAsked,
  selectPendingOfTurn,
} from '../../../store/approvals/approvals.ts'
import { findLaunch } from '../../../store/processes/launches.ts'
import type { Tx } from '../../../store/store.ts'
import { relayRole, type TurnRow, turnStream } from '../../../store/turns/turns.ts'
import { moveApproval } from '../../approvals/approval-record.ts'
import { aboutApproval, closeAsk } from '../../channels/ask-record.ts'
import { tellSession } from '../../tell-session.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { tellInTurn } from '../../turns/tell-in-turn.ts'
import { recordCheckpoint } from '../../work/end-work-session.ts'

/** What is said to a permission: an option, or yes or no for this once. */
export type PermissionChoice = { readonly optionId: string } | { readonly choose: 'allow' | 'deny' }

/** Decides an approval, and saves a checkpoint of the work that it was asked in (CK1). */
export async function decideRequest(
  tx: Tx,
  row: ApprovalRow,
  decision: Extract<ApprovalEvent, { type: 'decide' | 'carry-out' | 'end' }>,
  now: Instant,
): Promise<Approval> {
  const approval = await moveApproval(tx, row, decision, now)
  await closeAsk(tx, aboutApproval(row.id), now)
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
  /** AP15: it was held until now. */
  readonly wasHeld?: boolean
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
  const type = settlingEvent(settlement)
  await decideRequest(tx, settled, { type, verdict, by, feedback }, now)
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
  const turn = await turnThatAsks(tx, row)
  if (!turn) return 0
  await tellSession(tx, turn.conversation_key)
  const resolved = { role: relayRole(turn), outcome, decidedBy: by, requestId }
  if (answer)
    return tellInTurn(tx, turn, {
      type: 'question:resolved',
      data: { ...resolved, questionId: row.id, ...answer },
    })
  const data = { ...resolved, approvalId: row.id, optionId }
  return tellInTurn(tx, turn, { type: 'permission:resolved', data })
}

function settlingEvent({ outcome, wasHeld }: Settlement): 'decide' | 'carry-out' | 'end' {
  if (outcome === 'expired' || outcome === 'withdrawn') return 'end'
  return wasHeld ? 'carry-out' : 'decide'
}

/** Undefined: it was asked in no turn, or in one that does not run any more. */
async function turnThatAsks(tx: Tx, row: ApprovalRow): Promise<TurnRow | undefined> {
  const turn = row.turn_id === null ? undefined : await tx.row('turns', { id: row.turn_id })
  if (turn) lockTurn(tx, turn)
  return turn?.state === 'running' ? turn : undefined
}

/** What a held decision will do, kept as JSON until then. */
export type HeldDecision =
  | { readonly kind: 'approval'; readonly status: Verdict; readonly feedback: string | null }
  | {
      readonly kind: 'permission'
      readonly choice: PermissionChoice
      readonly always: AlwaysTerms | undefined
      readonly feedback: string | null
    }
  | { readonly kind: 'question'; readonly answer: QuestionAnswer }

interface Hold {
  readonly decision: HeldDecision
  readonly status: Verdict
  readonly by: string
  readonly seconds: number
  readonly requestId?: string | undefined
}

/** AP15: keeps a decision that was checked, to be carried out later. */
export async function holdDecision(
  tx: Tx,
  row: ApprovalRow,
  { decision, status, by, seconds, requestId }: Hold,
  now: Instant,
): Promise<{ seq: number; approval: Approval }> {
  const held = { type: 'hold', verdict: status, by, seconds } as const
  const approval = await moveApproval(tx, row, held, now, JSON.stringify(decision))
  return { seq: await tellHeld(tx, row, approval, requestId), approval }
}

/** Says in the turn that asks whether a decision is held. Returns 0 where no such turn runs. */
export async function tellHeld(
  tx: Tx,
  row: ApprovalRow,
  { id: approvalId, held }: Approval,
  requestId?: string,
): Promise<number> {
  const turn = await turnThatAsks(tx, row)
  if (!turn) return 0
  const data = { role: relayRole(turn), approvalId, held, requestId }
  return tx.append(turnStream(turn), { type: 'approval:held', data })
}

export async function withdrawPermissions(tx: Tx, turnId: string, now: Instant): Promise<void> {
  for (const row of await tx.all(selectPendingOfTurn, { turnId }))
    await withdrawPermission(tx, row, now)
}

/** Withdraws a permission request at the agent's wish. */
export async function withdrawRequest(
  tx: Tx,
  request: { launchId: string; askId: string },
  now: Instant,
): Promise<void> {
  const row = await tx.first(selectAsked, request)
  if (row?.status === 'pending') await withdrawPermission(tx, row, now)
}

async function withdrawPermission(tx: Tx, row: ApprovalRow, now: Instant): Promise<void> {
  await settlePermission(tx, row, { outcome: 'withdrawn', optionId: null, by: systemId }, now)
}
