/** Sets what makes a fresh worktree of a project runnable (WT5). Its words are in no event: who may read need not see them. */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { SetUp } from '../protocol/worktree.ts'
import { selectProject } from '../store/queries/projects.ts'
import { keepSetUp } from '../store/queries/set-ups.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

type Input = SetUp & { readonly projectId: string; readonly by: string }

export const changeSetUp = defineUseCase({
  name: 'change-set-up',
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, command, copy, by }): Promise<SetUp> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    if (command !== null && (command[0] ?? '').trim() === '')
      throw new Refusal('invalid_request', `command: ${because('firstWord')}`, { field: 'command' })
    await tx.write(keepSetUp, { project_id: projectId, command: JSON.stringify(command), copy: JSON.stringify(copy) })
    tx.append(projectStream(projectId), { type: 'set-up-changed', data: { projectId, by } })
    return { command, copy }
  },
})
