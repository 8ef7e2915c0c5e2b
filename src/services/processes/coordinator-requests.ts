/**
 * Sends requests to a coordinator (src/protocol/processes/coordinator-requests.ts) and stores its
 * answers. A request to an unreachable coordinator is refused. With a receipt, a repeated request
 * finds the same request and answer (HT4).
 */

import { Refusal } from '../../domain/errors.ts'
import { later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { coordinatorStream, projectStream } from '../../domain/stream-name.ts'
import {
  type CoordinatorAnswer,
  type CoordinatorRequest,
  changingRequests,
  maxOpenRequests,
} from '../../protocol/processes/coordinator-requests.ts'
import type { LinkFact } from '../../protocol/processes/link.ts'
import {
  type CoordinatorRequestRow,
  insertAnswer,
  openCoordinatorRequests,
  selectAnswer,
} from '../../store/processes/coordinator-requests.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { type Context, defineQuery, defineUseCase, type Tx } from '../../store/store.ts'

export interface RequestToCoordinator {
  readonly coordinatorId: string
  readonly ask: CoordinatorRequest
  /** The project and worktree it is about, where effects are announced. */
  readonly projectId: string
  readonly worktreeId: string | null
  readonly withinMs: number
  readonly by: string
}

export const requestFromCoordinator = defineUseCase('request-from-coordinator', {
  scope: 'server',
  on: 'nobody',
  streams: ({ coordinatorId }: RequestToCoordinator) => [coordinatorStream(coordinatorId)],
  run: async (
    tx,
    { coordinatorId, ask, projectId, worktreeId, withinMs, by },
    { now, random },
  ): Promise<{ id: string }> => {
    const coordinator = await findCoordinatorRow(tx, coordinatorId)
    if (coordinator?.state !== 'connected') {
      const machine = coordinator?.machine ?? coordinatorId
      throw new Refusal('coordinator_away', refusalText('machineAway', { machine }), {
        coordinatorId,
        machine,
      })
    }
    if ((await openCoordinatorRequests(tx, coordinatorId, now)).length >= maxOpenRequests)
      throw new Refusal('busy', refusalText('machineBusy'))
    const id = random.uuid()
    await tx.insert('questions', {
      id,
      coordinator_id: coordinatorId,
      epoch: coordinator.epoch,
      kind: ask.kind,
      ask: JSON.stringify(ask),
      project_id: projectId,
      worktree_id: worktreeId,
      asked_by: by,
      asked_at: now,
      deadline: later(now, withinMs),
      answered_at: null,
    })
    tx.append(coordinatorStream(coordinatorId), {
      type: 'question-asked',
      data: { questionId: id, ask },
    })
    return { id }
  },
})

/** Returns a coordinator's whole answer. Undefined until it is complete. */
export const findCoordinatorAnswer = defineQuery('find-coordinator-answer', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, { id }: { id: string }): Promise<CoordinatorAnswer | undefined> => {
    if (((await reader.row('questions', { id }))?.answered_at ?? null) === null) return undefined
    const parts = await reader.all(selectAnswer, { questionId: id })
    return JSON.parse(parts.map(({ said }) => said).join(''))
  },
})

/** Deletes a request whose answer was read and that nobody else needs. */
export const forgetCoordinatorRequest = defineUseCase('forget-coordinator-request', {
  scope: 'server',
  on: 'nobody',
  streams: () => [],
  run: async (tx, { id }: { id: string }): Promise<void> => {
    await tx.delete('question_answers', { question_id: id })
    await tx.delete('questions', { id })
  },
})

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
  now: string,
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
    await tx.update('worktrees', { id: worktree.id, removed_at: now, removed_by: by })
    tx.append(projectStream(project_id), {
      type: 'worktree-removed',
      data: { worktreeId: worktree.id, by },
    })
    return
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
