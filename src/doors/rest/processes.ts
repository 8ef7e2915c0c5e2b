/** REST handlers for processes and coordinators. */
import { viewerOf } from '../../domain/access/visibility.ts'
import type { processRoutes } from '../../protocol/processes/routes.ts'
import { getProcess, listCoordinators, listProcesses } from '../../services/processes/queries.ts'
import { type HandlersOf, query } from './handler.ts'

export const processHandlers: HandlersOf<typeof processRoutes> = {
  listProcesses: query(listProcesses, (call) => ({ ...call.query, viewer: viewerOf(call.who) })),
  getProcess: query(getProcess, ({ params, who }) => ({ ...params, viewer: viewerOf(who) })),
  stopProcess: ({ params, deps, receipt }) =>
    deps.launches.stop(params.launchId, 'stopped_by_person', receipt),
  releaseAgent: ({ params, deps, receipt }) => deps.launches.release(params, receipt),
  listCoordinators: query(listCoordinators, (call) => call.query),
  takeOverCoordinator: ({ params, who, deps, receipt }) =>
    deps.launches.takeOver(params.coordinatorId, who.id, receipt),
}
