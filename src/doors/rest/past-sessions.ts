/** REST handlers for sessions that people already have (IM). */
import { idsIn, type pastRoutes } from '../../protocol/conversations/past-routes.ts'
import {
  findPastRoute,
  listImportedSessions,
} from '../../services/conversations/imported-session.ts'
import { deleteImported } from '../../services/flows/imports/delete-imported.ts'
import { takePastPiece } from '../../services/flows/imports/take-past-piece.ts'
import { allowed, by, type HandlersOf, query } from './handler.ts'

/** A machine's files are those of who enrolled it: only who manages can. */
const ofMachine = { scope: 'manage', on: 'coordinator' } as const

export const pastHandlers: HandlersOf<typeof pastRoutes> = {
  takePastSession: by(takePastPiece, async ({ body, who, deps }) => {
    const { agent, folder } = body.source
    const route = await deps.app.read(findPastRoute, { agent, folder }, who)
    return deps.app.run(takePastPiece, { ...body, by: who.id, route }, who)
  }),
  listPastSessions: allowed(ofMachine, async ({ params, query: wanted, who, deps }) =>
    deps.pastSessions.list(who, params, wanted),
  ),
  takePastSessions: allowed(ofMachine, async ({ params, body, who, deps }) =>
    deps.pastSessions.take(who, params, { agent: body.agent, ids: idsIn(body) }),
  ),
  listImportedSessions: query(listImportedSessions, ({ query: page, who }) => ({
    ...page,
    by: who.id,
  })),
  deleteImportedSessions: by(deleteImported, async ({ query: { agent }, who, deps }) => {
    let deleted = 0
    for (let more = true; more; ) {
      const some = await deps.app.run(deleteImported, { by: who.id, agent }, who)
      deleted += some.deleted
      more = some.more
    }
    return { deleted }
  }),
}
