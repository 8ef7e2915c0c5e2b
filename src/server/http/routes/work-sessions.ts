/** The work sessions of a project. */
import type { workSessionRoutes } from '../../../protocol/routes/work-sessions.ts'
import { createWorkSession } from '../../../services/create-work-session.ts'
import { endWorkSession } from '../../../services/end-work-session.ts'
import { getWorkSession } from '../../../services/get-work-session.ts'
import { listWorkSessions } from '../../../services/list-work-sessions.ts'
import { type HandlersOf, query, run } from '../handler.ts'

export const workSessionHandlers: HandlersOf<typeof workSessionRoutes> = {
  listWorkSessions: query(listWorkSessions, (call) => ({ ...call.query, ...call.params })),
  createWorkSession: run(createWorkSession, ({ body, params }) => ({ ...body, ...params })),
  getWorkSession: query(getWorkSession, ({ params }) => params),
  endWorkSession: run(endWorkSession, ({ body, params }) => ({ ...body, ...params })),
}
