/** Creates a user session (US1): a person's console in a project, without agents. */
import { later } from '../../domain/instant.ts'
import { projectStream, userSessionStream } from '../../domain/stream-name.ts'
import { insertUserSession } from '../../store/consoles/user-sessions.ts'
import { selectProject } from '../../store/projects/projects.ts'
import { newRow } from '../../store/rows.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchProject } from '../refusals.ts'
import { attachedForMs } from './touch-user-sessions.ts'

interface Input {
  readonly projectId: string
  readonly by: string
  readonly requestId?: string | undefined
}

export const createUserSession = defineUseCase('create-user-session', {
  streams: ({ projectId }: Input) => [projectStream(projectId)],
  run: async (tx, { projectId, by, requestId }, { now, random }): Promise<{ userSessionId: string; seq: number }> => {
    if (!(await tx.first(selectProject, { id: projectId }))) throw noSuchProject(projectId)
    const id = random.uuid()
    const times = { created_at: now, last_active_at: now, attached_until: later(now, attachedForMs) }
    await tx.write(insertUserSession, newRow('user_sessions', { id, project_id: projectId, account_id: by, ...times }))
    const stream = userSessionStream(id)
    tx.begin(stream)
    const created = { type: 'session:created', data: { projectId, by, requestId } } as const
    return { userSessionId: id, seq: tx.append(stream, created, [projectStream(projectId)]) }
  },
})
