/**
 * Sends requests to a coordinator (src/protocol/processes/coordinator-requests.ts) and reads its
 * answers, which flows/processes/store-answer-part.ts stores. A request to an unreachable
 * coordinator is refused. With a receipt, a repeated request finds the same request and answer
 * (HT4).
 */

import { Refusal } from '../../domain/errors.ts'
import { later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import {
  type CoordinatorAnswer,
  type CoordinatorRequest,
  maxOpenRequests,
} from '../../protocol/processes/coordinator-requests.ts'
import {
  openCoordinatorRequests,
  selectAnswer,
} from '../../store/processes/coordinator-requests.ts'
import { findCoordinatorRow } from '../../store/processes/coordinators.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'

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
