/**
 * Deletes a project, and ends what is in it: approvals, work sessions, agent sessions, assignments.
 */

import type { Instant } from '../../../domain/instant.ts'
import { home, projectStream } from '../../../domain/stream-name.ts'
import { liveOfProject } from '../../../store/agent-sessions/agent-sessions.ts'
import { deleteSecret, secretRows } from '../../../store/agents/secrets.ts'
import { selectPendingOfProject } from '../../../store/approvals/approvals.ts'
import { defineUseCase, type Tx } from '../../../store/store.ts'
import { selectRunningOfProject } from '../../../store/work/work-sessions.ts'
import { noSuchProject } from '../../refusals.ts'
import { finishWorkSession } from '../../work/end-work-session.ts'
import { revokeAgentSessions } from '../agent-sessions/end-agent-session.ts'
import { decideRequest } from '../approvals/decide-request.ts'

const feedback = 'The project was deleted.'

/**
 * Rejects pending approvals and interrupts running work sessions. Rows stay, so that approval
 * numbers are not reused.
 */
async function closeProjectWork(
  tx: Tx,
  projectId: string,
  { by, now }: { by: string; now: Instant },
): Promise<void> {
  for (const row of await tx.all(selectPendingOfProject, { projectId }))
    await decideRequest(tx, row, { type: 'end', verdict: 'rejected', by, feedback }, now)
  for (const row of await tx.all(selectRunningOfProject, { projectId }))
    await finishWorkSession(tx, row, { type: 'interrupt', reason: 'stopped' }, now)
}

/**
 * Deletes a project with its tokens for hosts, unassigns its agents and closes its approvals and
 * work. Its folder and files stay.
 */
export const deleteProject = defineUseCase('delete-project', {
  scope: 'manage',
  on: 'project',
  streams: ({ projectId }: { projectId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by }, context): Promise<void> => {
    if (!(await tx.row('projects', { id: projectId }))) throw noSuchProject(projectId)
    await closeProjectWork(tx, projectId, { by, now: context.now })
    await revokeAgentSessions(tx, await liveOfProject(tx, projectId), context)
    await tx.delete('assignments', { project_id: projectId })
    await tx.delete('panels', { project_id: projectId })
    await tx.delete('set_ups', { project_id: projectId })
    await tx.delete('host_tokens', { project_id: projectId })
    await tx.delete('project_remotes', { project_id: projectId })
    for (const row of await secretRows(tx, projectId)) await deleteSecret(tx, row)
    await tx.delete('projects', { id: projectId })
    tx.append(home, { type: 'project-deleted', data: { projectId, by } }, [
      projectStream(projectId),
    ])
  },
})
