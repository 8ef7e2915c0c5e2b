/** What makes a fresh worktree of a project runnable (WT5); nothing unless an owner has said so. */
import type { SetUp } from '../protocol/worktree.ts'
import { selectProject } from '../store/queries/projects.ts'
import { setUpOf } from '../store/queries/set-ups.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

export const getSetUp = defineQuery({
  name: 'get-set-up',
  run: async (reader, { projectId }: { projectId: string }): Promise<SetUp> => {
    if (!(await reader.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    return (await setUpOf(reader, projectId)) ?? { command: null, copy: [] }
  },
})
