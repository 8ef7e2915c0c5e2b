/** REST handlers for sessions that people already have (IM). */
import type { pastRoutes } from '../../protocol/conversations/past-routes.ts'
import {
  findPastRoute,
  listImportedSessions,
} from '../../services/conversations/imported-session.ts'
import { deleteImported } from '../../services/flows/delete-imported.ts'
import { takePastPiece } from '../../services/flows/take-past-piece.ts'
import { by, type HandlersOf, query } from './handler.ts'

export const pastHandlers: HandlersOf<typeof pastRoutes> = {
  takePastSession: by(takePastPiece, async ({ body, who, deps }) => {
    const { agent, folder } = body.source
    const route = await deps.app.read(findPastRoute, { agent, folder }, who)
    return deps.app.run(takePastPiece, { ...body, by: who.id, route }, who)
  }),
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
