/** The work sessions of a project. */
import { ProjectPath } from '../../../protocol/project.ts'
import type { workSessionRoutes } from '../../../protocol/routes/work-sessions.ts'
import { createWorkSession } from '../../../services/create-work-session.ts'
import { dismissWorkSession } from '../../../services/dismiss-work-session.ts'
import { endWorkSession } from '../../../services/end-work-session.ts'
import { getLineage } from '../../../services/get-lineage.ts'
import { getWorkSession } from '../../../services/get-work-session.ts'
import { listInterrupted } from '../../../services/list-interrupted.ts'
import { listWorkSessions } from '../../../services/list-work-sessions.ts'
import { restoreWorkSession } from '../../../services/restore-work-session.ts'
import { saveCheckpoint } from '../../../services/save-checkpoint.ts'
import { resumeFromFile, resumeWork } from '../../agents/resume-work.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const workSessionHandlers: HandlersOf<typeof workSessionRoutes> = {
  listWorkSessions: query(listWorkSessions, (call) => ({ ...call.query, ...call.params })),
  createWorkSession: run(createWorkSession, ({ body, params }) => ({ ...body, ...params })),
  getWorkSession: query(getWorkSession, ({ params }) => params),
  endWorkSession: run(endWorkSession, ({ body, params }) => ({ ...body, ...params })),
  dismissWorkSession: run(dismissWorkSession, ({ params }) => params),
  listInterrupted: query(listInterrupted, (call) => call.query),
  getLineage: query(getLineage, ({ params }) => params),
  resumeWorkSession: async ({ params, doors, receipt, reply, who }) => {
    const { begun, resumed } = await resumeWork(doors, who, params, receipt)
    reply.code(begun ? 201 : 200)
    return resumed
  },
  resumeFromFile: async ({ body, doors, reply, who }) => {
    const { begun, resumed } = await resumeFromFile(doors, who, body.path)
    reply.code(begun ? 201 : 200)
    return resumed
  },
  restoreWorkSession: async ({ body, params, who, doors: { store, folders }, receipt }) => {
    const path = ProjectPath.safeParse((body.project as { path?: unknown } | null | undefined)?.path)
    const look = await folders.look(path.success ? path.data : null)
    return store.run(restoreWorkSession, { ...params, files: body, by: who.id, scopes: who.scopes, look }, receipt)
  },
  saveCheckpoint: async ({ params, body, doors, receipt }) => {
    const { at } = await doors.store.run(saveCheckpoint, { ...body, ...params }, receipt)
    const { projectId, workSessionId } = params
    const path = doors.files.checkpointPath(projectId, workSessionId)
    return { path, timestamp: at, written: await doors.files.written(projectId) }
  },
}
