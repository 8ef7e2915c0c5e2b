/**
 * Held decisions (AP15): carries out those whose time is over, and takes back one that a person
 * thinks better of. What is held is kept in the approval's row, so no page needs to stay open.
 */
import { Refusal } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/instant.ts'
import type { Approval } from '../../../protocol/approvals/approval.ts'
import type { ApprovalRow } from '../../../store/approvals/approvals.ts'
import { selectHeldUntil } from '../../../store/approvals/held-decisions.ts'
import { type Context, defineQuery, defineUseCase, type Tx } from '../../../store/store.ts'
import { existingApproval, moveApproval } from '../../approvals/approval-record.ts'
import { checkedPermission, giveAnswer, givePermission } from './answer-permission.ts'
import { decideRequest, type HeldDecision, tellHeld } from './decide-request.ts'

interface Which {
  readonly approvalId: number
}

/** Takes back the caller's own held decision. It waits again, for anybody's. */
export const takeBackDecision = defineUseCase('take-back-decision', {
  scope: 'approve',
  on: 'approval',
  run: async (
    tx,
    { approvalId, projectId, by }: Which & { projectId?: string | undefined; by: string },
    { now },
  ): Promise<Approval> => {
    const row = await existingApproval(tx, { approvalId, projectId })
    return changeHeld(tx, row, { type: 'take-back', by }, now)
  },
})

async function changeHeld(
  tx: Tx,
  row: ApprovalRow,
  event: { readonly type: 'take-back'; readonly by: string } | { readonly type: 'drop' },
  now: Instant,
): Promise<Approval> {
  const approval = await moveApproval(tx, row, event, now)
  await tellHeld(tx, row, approval)
  return approval
}

const duePageSize = 100

/** Lists held decisions whose time is over, oldest first. */
export const findHeldDecisions = defineQuery('find-held-decisions', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: Record<never, never>, { now }): Promise<Which[]> =>
    (await reader.all(selectHeldUntil, { now, limit: duePageSize })).map(({ id }) => ({
      approvalId: id,
    })),
})

/**
 * Carries out a held decision. Running this too early or twice changes nothing. A request whose
 * own time was over first expires. A decision that is refused now (its "always" finds no place any
 * more) is dropped, and the request waits for another.
 */
export const carryOutDecision = defineUseCase('carry-out-decision', {
  scope: 'server',
  on: 'nobody',
  run: async (tx, { approvalId }: Which, context): Promise<{ done: boolean }> => {
    const { now } = context
    const row = await tx.row('human_approvals', { id: approvalId })
    const until = row?.held_until ?? null
    if (row?.status !== 'pending' || until === null || until > now) return { done: false }
    if (row.deadline !== null && row.deadline <= until) return { done: false }
    const decision: HeldDecision = JSON.parse(row.held_decision ?? 'null')
    if (await isRefused(tx, row, decision, now)) await changeHeld(tx, row, { type: 'drop' }, now)
    else await carryOut(tx, row, decision, context)
    return { done: true }
  },
})

async function isRefused(
  tx: Tx,
  row: ApprovalRow,
  decision: HeldDecision,
  now: Instant,
): Promise<boolean> {
  if (decision.kind !== 'permission') return false
  try {
    await checkedPermission(tx, row, decision, now)
    return false
  } catch (error) {
    if (error instanceof Refusal) return true
    throw error
  }
}

async function carryOut(
  tx: Tx,
  row: ApprovalRow,
  decision: HeldDecision,
  context: Context,
): Promise<unknown> {
  const given = { by: row.held_by ?? '', wasHeld: true }
  switch (decision.kind) {
    case 'approval': {
      const { status: verdict, feedback } = decision
      const event = { type: 'carry-out', verdict, by: given.by, feedback } as const
      return decideRequest(tx, row, event, context.now)
    }
    case 'permission':
      return givePermission(tx, row, { ...decision, ...given }, context)
    case 'question':
      return giveAnswer(tx, row, { ...decision, ...given }, context.now)
  }
}
