/** Changes a project's name, path or settings; what is not named stays. A change that changes nothing leaves no trace. */
import type * as z from 'zod'
import { changeSettings } from '../domain/project/settings.ts'
import { home, projectStream } from '../domain/stream/name.ts'
import type { Project, ProjectChange } from '../protocol/project.ts'
import { agentIdsOf, chosenSettings, projectOf, selectProject, updateProject } from '../store/queries/projects.ts'
import { defineUseCase } from '../store/store.ts'
import { invalidSetting, noSuchProject } from './refusals.ts'

type Input = z.output<typeof ProjectChange> & { projectId: string; by: string }

export const changeProject = defineUseCase({
  name: 'change-project',
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by, ...change }: Input, { now }): Promise<Project> => {
    const row = await tx.first(selectProject, { id: projectId })
    if (!row) throw noSuchProject(projectId)
    const settings = changeSettings(chosenSettings(row), change.settings ?? {})
    if ('problem' in settings) throw invalidSetting(settings.problem)
    const changed = {
      ...row,
      name: change.name ?? row.name,
      path: change.path === undefined ? row.path : change.path,
      settings: JSON.stringify(settings.chosen),
    }
    const agentIds = await agentIdsOf(tx, projectId)
    const unchanged = changed.name === row.name && changed.path === row.path && changed.settings === row.settings
    if (unchanged) return projectOf(row, agentIds)
    changed.updated_at = now
    await tx.write(updateProject, changed)
    const project = projectOf(changed, agentIds)
    tx.append(home, { type: 'project-changed', data: { project, by } }, [projectStream(projectId)])
    return project
  },
})
