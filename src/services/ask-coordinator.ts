/**
 * Asks a coordinator something (link-questions.ts): the question is its order, the answer comes as its facts. One that is not heard of is
 * not asked; with a receipt the same request finds the same question, and its answer, again (HT4).
 */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { later } from '../domain/instant.ts'
import { coordinatorStream } from '../domain/stream/name.ts'
import { type Ask, maxOpenQuestions } from '../protocol/link-questions.ts'
import { findCoordinatorRow } from '../store/queries/coordinators.ts'
import { insertQuestion, openQuestions } from '../store/queries/questions.ts'
import { defineUseCase } from '../store/store.ts'

export interface Question {
  readonly coordinatorId: string
  readonly ask: Ask
  /** What it is about; what comes of it is told there. */
  readonly projectId: string
  readonly worktreeId: string | null
  readonly withinMs: number
  readonly by: string
}

export const askCoordinator = defineUseCase({
  name: 'ask-coordinator',
  streams: ({ coordinatorId }: Question) => [coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId, ask, projectId, worktreeId, withinMs, by }, { now, random }): Promise<{ id: string }> => {
    const coordinator = await findCoordinatorRow(tx, coordinatorId)
    if (coordinator?.state !== 'connected') {
      const machine = coordinator?.machine ?? coordinatorId
      throw new Refusal('coordinator_away', because('machineAway', { machine }), { coordinatorId, machine })
    }
    if ((await openQuestions(tx, coordinatorId, now)).length >= maxOpenQuestions)
      throw new Refusal('busy', because('machineBusy'))
    const id = random.uuid()
    await tx.write(insertQuestion, {
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
    tx.append(coordinatorStream(coordinatorId), { type: 'question-asked', data: { questionId: id, ask } })
    return { id }
  },
})
