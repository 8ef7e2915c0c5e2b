/**
 * Approvals that the agent of a chat waits for, shown in the chat with the same card as on Now;
 * both change at once.
 */
import { useQuery } from '@tanstack/react-query'
import { useLayoutEffect, useRef } from 'react'
import type { Approval } from '../../../../src/protocol/approvals/approval.ts'
import type { ThreadTurn } from '../../../../src/protocol/threads/thread-turn.ts'
import { ApprovalCard } from '../../approvals/approval-card.tsx'
import { inbox } from '../../live/approvals.ts'
import { useWords } from '../../translations/messages.tsx'

interface Pending {
  readonly asked: readonly Approval[]
  /** Those of the running turn stand in it. */
  readonly questions: readonly Approval[]
}

/**
 * Oldest first: the one that came first is decided first. Permissions stand in the turn that asks,
 * and belong to no other conversation. `agentId`: of the agent's chat; empty in another session.
 */
export function usePendingApprovals(
  projectId: string,
  agentId: string,
  turnId: string | undefined,
): Pending {
  const items = useQuery({ ...inbox, enabled: false }).data?.items ?? []
  const all = items.filter(
    (each) => each.status === 'pending' && !each.permission && each.projectId === projectId,
  )
  const isInTurn = ({ question }: Approval) => question !== null && question.messageId === turnId
  const isOfChat = (each: Approval) => each.leaderId === agentId && !isInTurn(each)
  return { asked: all.filter(isOfChat), questions: all.filter(isInTurn) }
}

/** A snapshot of turns has no questions: those that wait are added to the turn that asks. */
export function withQuestions(
  turns: readonly ThreadTurn[],
  questions: readonly Approval[],
): readonly ThreadTurn[] {
  return questions.reduce((known, { id, question }) => {
    const isShown = (turn: ThreadTurn) =>
      turn.items.some((item) => item.kind === 'question' && item.question.questionId === id)
    if (question === null) return known
    const item = {
      kind: 'question',
      question: {
        ...question,
        questionId: id,
        outcome: null,
        content: null,
        decidedBy: null,
        resolvedAt: null,
      },
    } as const
    return known.map((turn) =>
      turn.id === question.messageId && !isShown(turn)
        ? { ...turn, items: [...turn.items, item] }
        : turn,
    )
  }, turns)
}

export function PendingApprovals({ asked }: { asked: readonly Approval[] }) {
  const { approvals } = useWords()
  const list = useRef<HTMLUListElement>(null)
  const [first] = asked
  // The button that was pressed goes with its card: who works by keyboard goes on writing.
  useLayoutEffect(
    () => () => {
      if (
        document.activeElement === document.body ||
        list.current?.contains(document.activeElement)
      )
        document.querySelector<HTMLTextAreaElement>('[data-chat] [data-composer] textarea')?.focus()
    },
    [],
  )
  if (!first) return null
  return (
    <ul
      ref={list}
      aria-label={approvals.statuses.pending}
      className="min-h-0 divide-y divide-line overflow-y-auto border-t border-line"
    >
      {asked.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} inProject />
      ))}
    </ul>
  )
}
