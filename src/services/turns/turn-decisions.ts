/**
 * What was asked in a turn and decided, put among its items: the record of a decision, from the
 * approvals themselves.
 */
import type { Approval } from '../../protocol/approvals/approval.ts'
import type { Item } from '../../protocol/threads/turn-items.ts'
import type { TurnItem } from '../../protocol/turns/conversation-turn.ts'
import { approvalOf, selectDecidedOfTurn } from '../../store/approvals/approvals.ts'
import type { Reader } from '../../store/store.ts'

/**
 * As many as a turn shows; an agent that asks more often has its older ones in the list of
 * approvals.
 */
const mostDecisions = 500

/**
 * Where something was asked, a turn keeps its number: the approval has the rest. What has no such
 * place stands behind the tool call that it was about, or before the last words.
 */
export const storedItem = (item: Item): { readonly kind: Item['kind'] } => {
  if (item.kind === 'permission') return requestAt(item.kind, item.permission.approvalId)
  return item.kind === 'question' ? requestAt(item.kind, item.question.questionId) : item
}

const requestAt = (kind: 'permission' | 'question', approvalId: number) => ({ kind, approvalId })

export async function withDecisions(
  reader: Reader,
  turnId: string,
  items: readonly TurnItem[],
): Promise<TurnItem[]> {
  const rows = await reader.all(selectDecidedOfTurn, { turnId, limit: mostDecisions })
  const decided = new Map(rows.map((row) => [row.id, approvalOf(row)]))
  const all = items.flatMap((item) => {
    if (item['approvalId'] === undefined) return item
    const approval = decided.get(item['approvalId'] as number)
    decided.delete(item['approvalId'] as number)
    return approval ? itemOf(approval) : []
  })
  for (const approval of decided.values()) all.splice(placeIn(all, approval), 0, itemOf(approval))
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
    const content = {
      questionId: id,
      messageId,
      message,
      schema,
      url,
      deadline,
      content: answer?.content ?? null,
    }
    return { kind: 'question', question: { ...content, ...decided } }
  }
  const {
    messageId = '',
    call,
    options = [],
    likeness = null,
    deadline,
    optionId = null,
  } = permission ?? {}
  const content = {
    approvalId: id,
    messageId,
    title: call?.title ?? '',
    call,
    options,
    likeness,
    deadline,
    optionId,
  }
  return { kind: 'permission', permission: { ...content, ...decided } }
}
