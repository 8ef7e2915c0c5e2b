/**
 * What was asked in a turn and decided, put among its items: the record of a decision, from the
 * approvals themselves.
 */
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { TurnItem } from '../../protocol/turns/conversation-turn.ts'
import { approvalOf, selectDecidedOfTurn } from '../../store/approvals/approvals.ts'
import type { Reader } from '../../store/store.ts'

/**
 * As many as a turn shows; an agent that asks more often has its older ones in the list of
 * approvals.
 */
const mostDecisions = 500

/**
 * A permission stands behind the tool call that it was about; what is about none, before the last
 * words.
 */
export async function withDecisions(
  reader: Reader,
  turnId: string,
  items: readonly TurnItem[],
): Promise<TurnItem[]> {
  const rows = await reader.all(selectDecidedOfTurn, { turnId, limit: mostDecisions })
  const all = [...items]
  for (const approval of rows.map(approvalOf))
    all.splice(placeIn(all, approval), 0, itemOf(approval))
  return all
}

function placeIn(items: readonly TurnItem[], { permission }: Approval): number {
  const about = (item: TurnItem) =>
    item.kind === 'tool' &&
    (item['call'] as { toolCallId?: string }).toolCallId === permission?.call.toolCallId
  const at = permission ? items.findLastIndex(about) : -1
  if (at >= 0) return at + 1
  return items.at(-1)?.kind === 'text' ? items.length - 1 : items.length
}

function itemOf({ id, permission, question, outcome, decidedBy, resolvedAt }: Approval): TurnItem {
  const decided = { outcome: outcome ?? 'withdrawn', decidedBy, resolvedAt }
  if (question) {
    const { messageId, message, schema, url, deadline, answer } = question
    const asked = {
      questionId: id,
      messageId,
      message,
      schema,
      url,
      deadline,
      content: answer?.content ?? null,
    }
    return { kind: 'question', question: { ...asked, ...decided } }
  }
  const {
    messageId = '',
    call,
    options = [],
    likeness = null,
    deadline,
    optionId = null,
  } = permission ?? {}
  const asked = {
    approvalId: id,
    messageId,
    title: call?.title ?? '',
    call,
    options,
    likeness,
    deadline,
    optionId,
  }
  return { kind: 'permission', permission: { ...asked, ...decided } }
}
