/** Changes a project's name, path or settings. Fields left out stay. A change without effect appends no event. */
import type * as z from 'zod'
import { changeSettings } from '../../domain/projects/settings.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Project, ProjectChange } from '../../protocol/projects/project.ts'
import { agentIdsOf, chosenSettings, projectOf, selectProject, updateProject } from '../../store/projects/projects.ts'
import { defineUseCase } from '../../store/store.ts'
import { invalidSetting, noSuchProject } from '../refusals.ts'
import { chooseFolder, managedChange, requireManage } from './choose-folder.ts'
import type { ProjectCaller } from './create-project.ts'

type Input = z.output<typeof ProjectChange> & ProjectCaller & { projectId: string }

export const changeProject = defineUseCase('change-project', {
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by, scopes, look, ...change }: Input, { now }): Promise<Project> => {
    const row = await tx.first(selectProject, { id: projectId })
    if (!row) throw noSuchProject(projectId)
    const settings = changeSettings(chosenSettings(row), change.settings ?? {})
    if ('problem' in settings) throw invalidSetting(settings.problem)
    // An unchanged path is kept whatever happened to the folder.
    const isMoved = change.path !== undefined && change.path !== row.path
    const wanted = isMoved ? (change.path ?? null) : row.path
    const before = { path: row.path, chosen: chosenSettings(row) }
    requireManage(scopes, managedChange(before, { path: wanted, chosen: settings.chosen }))
    const changed = {
      ...row,
      name: change.name ?? row.name,
      path: isMoved && wanted !== null ? await chooseFolder(tx, wanted, look, projectId) : wanted,
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
