/** REST handlers for landing what a conversation has made (LD). */
import type { landingRoutes } from '../../protocol/review/landing.ts'
import { promptToResolve } from '../../services/flows/files/prompt-to-resolve.ts'
import { beginLanding, findUndoable, listLandings } from '../../services/review/landing-record.ts'
import { allowed, by, type HandlersOf } from './handler.ts'

const looks = { scope: 'read', on: 'conversation' } as const

export const landingHandlers: HandlersOf<typeof landingRoutes> = {
  planLanding: allowed(looks, ({ params, query, who, deps }) =>
    deps.landings.plan(who, params.key, query),
  ),
  land: allowed(beginLanding, ({ params, body, who, deps, receipt }) =>
    deps.landings.land(who, params.key, body, receipt),
  ),
  resolveConflict: allowed(promptToResolve, ({ params, body, who, deps, receipt }) =>
    deps.landings.resolve(who, params.key, body?.into, receipt),
  ),
  undoLanding: by(findUndoable, ({ params, who, deps }) => deps.landings.undo(who, params.key)),
  listLandings: by(listLandings, async ({ params, who, deps }) => ({
    items: await deps.landings.list(who, params.key),
  })),
}
