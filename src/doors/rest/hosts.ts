/** REST handlers for hosts that work is pushed to (LD7). */
import type { hostRoutes } from '../../protocol/review/hosts.ts'
import { listHosts, removeHost, setHost, setRemote } from '../../services/review/hosts.ts'
import { by, type HandlersOf, run } from './handler.ts'

export const hostHandlers: HandlersOf<typeof hostRoutes> = {
  listHosts: by(listHosts, async ({ who, deps }) => ({ items: await deps.hosts.list(who) })),
  setHost: by(setHost, ({ params, body, who, deps, receipt }) =>
    deps.hosts.set(who, { ...params, ...body }, receipt),
  ),
  removeHost: by(removeHost, ({ params, query, who, deps, receipt }) =>
    deps.hosts.remove(who, params.host, query.projectId, receipt),
  ),
  setRemote: run(setRemote, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
}
