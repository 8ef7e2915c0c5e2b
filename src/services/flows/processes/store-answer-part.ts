/**
 * Stores what a coordinator answers to a request (src/protocol/processes/coordinator-requests.ts),
 * part by part, and what follows from it.
 */
import type { Instant } from '../../../domain/instant.ts'
import { coordinatorStream, projectStream } from '../../../domain/stream-name.ts'
import {
  type CoordinatorAnswer,
  changingRequests,
} from '../../../protocol/processes/coordinator-requests.ts'
import type { LinkFact } from '../../../protocol/processes/link.ts'
import {
  type CoordinatorRequestRow,
  insertAnswer,
  selectAnswer,
} from '../../../store/processes/coordinator-requests.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { removeWorktree } from '../../worktrees/worktree-record.ts'

type Part = Extract<LinkFact, { type: 'question-answered' }>

/**
 * Stores a part of a coordinator's answer. The last part completes it, rings the doorbell, and
 * applies its effects: a removed worktree leaves the register even if nobody waits.
 */
export async function storeAnswerPart(
  tx: Tx,
  { questionId, part, text, last }: Part,
  { coordinatorId }: { readonly coordinatorId: string },
  { now }: Context,
): Promise<void> {
  const request = await tx.row('questions', { id: questionId })
  // Ignores answers to another coordinator’s request, or to a deleted one.
  if (request?.coordinator_id !== coordinatorId || request.answered_at !== null) return
  await tx.write(insertAnswer, { question_id: questionId, part, said: text })
  if (!last) return
  await tx.update('questions', { id: questionId, answered_at: now })
  tx.append(coordinatorStream(coordinatorId), { type: 'question-answered', data: { questionId } })
  if (!changingRequests.has(request.kind)) return
  const parts = await tx.all(selectAnswer, { questionId })
  await applyEffect(tx, request, JSON.parse(parts.map(({ said }) => said).join('')), now)
}

async function applyEffect(
  tx: Tx,
  request: CoordinatorRequestRow,
  answer: CoordinatorAnswer,
  now: Instant,
): Promise<void> {
  const { worktree_id: worktreeId, asked_by: by, kind, project_id } = request
  const worktree = worktreeId === null ? undefined : await tx.row('worktrees', { id: worktreeId })
  if (!worktree || worktree.removed_at !== null) return
  const outcome = answer.ok
    ? (answer.value as { outcome?: string; commit?: string | null })
    : undefined
  // A worktree that no longer exists also leaves the register.
  const isRemoved = outcome ? outcome.outcome === 'removed' : !answer.ok && answer.reason === 'gone'
  if (kind === 'worktree-remove') {
    if (!isRemoved) return
    return removeWorktree(tx, worktree, { by, now })
  }
  const changed =
    outcome !== undefined &&
    (kind === 'worktree-commit' ? outcome.commit != null : outcome.outcome === 'done')
  if (changed)
    tx.append(projectStream(project_id), {
      type: 'worktree-changed',
      data: { worktreeId: worktree.id, what: kind, by },
    })
}
