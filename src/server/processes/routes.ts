/** REST handlers for processes and coordinators. */
import type { processRoutes } from '../../protocol/processes/routes.ts'
import { getProcess, listCoordinators, listProcesses } from '../../services/processes/queries.ts'
import { type HandlersOf, query } from '../http/handler.ts'

export const processHandlers: HandlersOf<typeof processRoutes> = {
  listProcesses: query(listProcesses, (call) => call.query),
  getProcess: query(getProcess, ({ params }) => params),
  stopProcess: ({ params, deps, receipt }) => deps.launches.stop(params.launchId, 'stopped_by_person', receipt),
  releaseAgent: ({ params, deps, receipt }) => deps.launches.release(params, receipt),
  listCoordinators: query(listCoordinators, (call) => call.query),
  takeOverCoordinator: ({ params, who, deps, receipt }) => deps.launches.takeOver(params.coordinatorId, who.id, receipt),
}
