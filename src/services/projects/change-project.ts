/** Changes and deletes projects. */

import type * as z from 'zod'
import type { Instant } from '../../domain/instant.ts'
import { changeSettings } from '../../domain/projects/settings.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import type { Project, ProjectChange } from '../../protocol/projects/project.ts'
import { liveOfProject } from '../../store/agent-sessions/agent-sessions.ts'
import { deleteSecret, secretRows } from '../../store/agents/secrets.ts'
import { selectPendingOfProject } from '../../store/approvals/approvals.ts'
import { agentIdsOf, chosenSettings, projectOf, updateProject } from '../../store/projects/projects.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { selectRunningOfProject } from '../../store/work/work-sessions.ts'
import { revokeAgentSessions } from '../agent-sessions/agent-session-end.ts'
import { moveApproval } from '../approvals/approval-record.ts'
import { invalidSetting, noSuchProject } from '../refusals.ts'
import { finishWorkSession } from '../work/end-work-session.ts'
import { chooseFolder, managedChange, requireManage } from './choose-folder.ts'
import type { ProjectCaller } from './create-project.ts'

type Input = z.output<typeof ProjectChange> & ProjectCaller & { projectId: string }

/** Changes a project's name, path or settings. Fields left out stay. A change without effect appends no event. */
export const changeProject = defineUseCase('change-project', {
  streams: ({ projectId }: Input) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by, scopes, look, ...change }: Input, { now }): Promise<Project> => {
    const row = await tx.row('projects', { id: projectId })
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

const feedback = 'The project was deleted.'

/**
 * Rejects pending approvals and interrupts running work sessions. Rows stay, so that approval numbers are not reused. The
 * calling use case locks `home` and the project's stream.
 */
async function closeProjectWork(tx: Tx, projectId: string, { by, now }: { by: string; now: Instant }): Promise<void> {
  for (const row of await tx.all(selectPendingOfProject, { projectId }))
    await moveApproval(tx, row, { type: 'decide', verdict: 'rejected', by, feedback }, now)
  for (const row of await tx.all(selectRunningOfProject, { projectId }))
    await finishWorkSession(tx, row, { type: 'interrupt', reason: 'stopped' }, now)
}

/** Deletes a project, unassigns its agents and closes its approvals and work. Its folder and files stay. */
export const deleteProject = defineUseCase('delete-project', {
  streams: ({ projectId }: { projectId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by }, context): Promise<void> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    await closeProjectWork(tx, projectId, { by, now: context.now })
    await revokeAgentSessions(tx, await liveOfProject(tx, projectId), context)
    await tx.delete('assignments', { project_id: projectId })
    await tx.delete('panels', { project_id: projectId })
    await tx.delete('set_ups', { project_id: projectId })
    for (const row of await secretRows(tx, projectId)) await deleteSecret(tx, row)
    await tx.delete('projects', { id: projectId })
    tx.append(home, { type: 'project-deleted', data: { projectId, by } }, [projectStream(projectId)])
  },
})
