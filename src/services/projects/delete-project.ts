/** Deletes a project, unassigns its agents and closes its approvals and work. Its folder and files stay. */
import type { Instant } from '../../domain/instant.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { liveOfProject } from '../../store/agent-sessions/agent-sessions.ts'
import { deleteSecret, secretRows } from '../../store/agents/secrets.ts'
import { selectPendingOfProject } from '../../store/approvals/approvals.ts'
import { deletePanelsOfProject } from '../../store/conversations/panels.ts'
import { deleteAssignmentsOfProject, deleteProjectRow, selectProject } from '../../store/projects/projects.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { selectRunningOfProject } from '../../store/work/work-sessions.ts'
import { deleteSetUp } from '../../store/worktrees/worktrees.ts'
import { revokeAgentSessions } from '../agent-sessions/agent-session-end.ts'
import { moveApproval } from '../approvals/approval-record.ts'
import { noSuchProject } from '../refusals.ts'
import { finishWorkSession } from '../work/end-work-session.ts'

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

export const deleteProject = defineUseCase('delete-project', {
  streams: ({ projectId }: { projectId: string; by: string }) => [home, projectStream(projectId)],
  run: async (tx, { projectId, by }, context): Promise<void> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    await closeProjectWork(tx, projectId, { by, now: context.now })
    await revokeAgentSessions(tx, await liveOfProject(tx, projectId), context)
    await tx.write(deleteAssignmentsOfProject, { projectId })
    await tx.write(deletePanelsOfProject, { projectId })
    await tx.write(deleteSetUp, { projectId })
    for (const row of await secretRows(tx, projectId)) await deleteSecret(tx, row)
    await tx.write(deleteProjectRow, { id: projectId })
    tx.append(home, { type: 'project-deleted', data: { projectId, by } }, [projectStream(projectId)])
  },
})
