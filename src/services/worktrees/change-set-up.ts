/**
 * Sets the commands that prepare a new worktree of a project (WT5). The event leaves them out, because not every reader may see
 * them.
 */

import { Refusal } from '../../domain/errors.ts'
import { inField } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { SetUp } from '../../protocol/worktrees/worktree.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { setUpOf } from '../../store/worktrees/worktrees.ts'
import { noSuchProject } from '../refusals.ts'

type Input = SetUp & { readonly projectId: string; readonly by: string }

export const changeSetUp = defineUseCase('change-set-up', {
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, command, copy, by }): Promise<SetUp> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    if (command !== null && (command[0] ?? '').trim() === '')
      throw new Refusal('invalid_request', inField('command', refusalText('firstWord')), { field: 'command' })
    await tx.put('set_ups', { project_id: projectId, command: JSON.stringify(command), copy: JSON.stringify(copy) })
    tx.append(projectStream(projectId), { type: 'set-up-changed', data: { projectId, by } })
    return { command, copy }
  },
})

/** Returns the set-up of a project's worktrees (WT5). Empty unless an owner set one. */
export const getSetUp = defineQuery(async (reader, { projectId }: { projectId: string }): Promise<SetUp> => {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  return (await setUpOf(reader, projectId)) ?? { command: null, copy: [] }
})
