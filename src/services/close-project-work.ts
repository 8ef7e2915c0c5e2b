/**
 * What is open in a project that is about to be deleted is closed with it: nobody is asked for what nobody waits for, and no work
 * session runs where there is no project. The rows stay, so that no approval's number is given out again.
 */
import type { Instant } from '../domain/instant.ts'
import { selectPendingOfProject } from '../store/queries/approvals.ts'
import { selectRunningOfProject } from '../store/queries/work-sessions.ts'
import type { Tx } from '../store/store.ts'
import { finishWorkSession } from './finish-work-session.ts'
import { moveApproval } from './move-approval.ts'

const feedback = 'The project was deleted.'

/** The use case names `home` and the project's stream. */
export async function closeProjectWork(tx: Tx, projectId: string, { by, now }: { by: string; now: Instant }): Promise<void> {
  for (const row of await tx.all(selectPendingOfProject, { projectId }))
    await moveApproval(tx, row, { type: 'decide', verdict: 'rejected', by, feedback }, now)
  for (const row of await tx.all(selectRunningOfProject, { projectId }))
    await finishWorkSession(tx, row, { type: 'interrupt', reason: 'stopped' }, now)
}
