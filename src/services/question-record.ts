/**
 * A part of an answer that a coordinator gives. With the last of them the question is answered, whoever waits is rung, and what was done on
 * its machine becomes true here too: a worktree that was removed leaves the register, even when nobody waits any more.
 */
import { coordinatorStream, projectStream } from '../domain/stream/name.ts'
import type { LinkFact } from '../protocol/link.ts'
import { type Answer, effects } from '../protocol/link-questions.ts'
import { insertAnswer, type QuestionRow, selectAnswer, selectQuestion, updateAnswered } from '../store/queries/questions.ts'
import { selectWorktree, updateRemoved } from '../store/queries/worktrees.ts'
import type { Context, Tx } from '../store/store.ts'

type Part = Extract<LinkFact, { type: 'question-answered' }>

export async function takeAnswer(
  tx: Tx,
  { questionId, part, text, last }: Part,
  { coordinatorId, projectIds }: { readonly coordinatorId: string; readonly projectIds: readonly string[] },
  { now }: Context,
): Promise<void> {
  const question = await tx.first(selectQuestion, { id: questionId })
  // Of a question that was put to another, or forgotten, it has nothing to say.
  if (question?.coordinator_id !== coordinatorId || question.answered_at !== null) return
  await tx.write(insertAnswer, { question_id: questionId, part, said: text })
  if (!last) return
  await tx.write(updateAnswered, { id: questionId, now })
  tx.append(coordinatorStream(coordinatorId), { type: 'question-answered', data: { questionId } })
  if (!effects.has(question.kind) || !projectIds.includes(question.project_id)) return
  const parts = await tx.all(selectAnswer, { questionId })
  await noteEffect(tx, question, JSON.parse(parts.map(({ said }) => said).join('')), now)
}

async function noteEffect(tx: Tx, question: QuestionRow, answer: Answer, now: string): Promise<void> {
  const { worktree_id: worktreeId, asked_by: by, kind, project_id } = question
  const worktree = worktreeId === null ? undefined : await tx.first(selectWorktree, { id: worktreeId })
  if (!worktree || worktree.removed_at !== null) return
  const outcome = answer.ok ? (answer.value as { outcome?: string; commit?: string | null }) : undefined
  // One that is not there any more has gone without us; the register need not keep it.
  const isRemoved = outcome ? outcome.outcome === 'removed' : !answer.ok && answer.reason === 'gone'
  if (kind === 'worktree-remove') {
    if (!isRemoved) return
    await tx.write(updateRemoved, { id: worktree.id, removedAt: now, removedBy: by })
    tx.append(projectStream(project_id), { type: 'worktree-removed', data: { worktreeId: worktree.id, by } })
    return
  }
  const changed = outcome !== undefined && (kind === 'worktree-commit' ? outcome.commit != null : outcome.outcome === 'done')
  if (changed)
    tx.append(projectStream(project_id), { type: 'worktree-changed', data: { worktreeId: worktree.id, what: kind, by } })
}
