/** The work sessions of a project. */
import { Refusal } from '../../../domain/errors.ts'
import { ProjectPath } from '../../../protocol/project.ts'
import { childOf } from '../../../protocol/resume.ts'
import type { workSessionRoutes } from '../../../protocol/routes/work-sessions.ts'
import { createWorkSession } from '../../../services/create-work-session.ts'
import { dismissWorkSession } from '../../../services/dismiss-work-session.ts'
import { endWorkSession } from '../../../services/end-work-session.ts'
import { getLineage } from '../../../services/get-lineage.ts'
import { getWorkSession } from '../../../services/get-work-session.ts'
import { listInterrupted } from '../../../services/list-interrupted.ts'
import { listWorkSessions } from '../../../services/list-work-sessions.ts'
import { restoreWorkSession } from '../../../services/restore-work-session.ts'
import { resumeWorkSession } from '../../../services/resume-work-session.ts'
import { saveCheckpoint } from '../../../services/save-checkpoint.ts'
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
    const outcome = await doors.store.run(resumeWorkSession, { ...params, by: who.id }, receipt)
    if (outcome.outcome === 'failed') throw notResumed(outcome)
    const { outcome: became, resumed } = outcome
    reply.code(became === 'begun' ? 201 : 200)
    if (became === 'same') return resumed
    const role = await doors.userSessions.takeUp(who, params.workSessionId, childOf(resumed), receipt)
    if (!role) return resumed
    return { ...resumed, notRestored: [...resumed.notRestored, ...role.notRestored], missing: role.missing ?? resumed.missing }
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

const notResumed = ({ setAside }: { setAside: string | null }): Refusal =>
  new Refusal('resume_failed', setAside ?? 'What is stored of this work session cannot be read', { setAside })
