/** REST handlers for processes and coordinators. */
import type { processRoutes } from '../../protocol/processes/routes.ts'
import { orderStop } from '../../services/flows/processes/order-stop.ts'
import { takeOverCoordinator } from '../../services/flows/processes/store-facts.ts'
import { releaseAgent } from '../../services/processes/launch-record.ts'
import { getProcess, listCoordinators, listProcesses } from '../../services/processes/queries.ts'
import { by, type HandlersOf, query } from './handler.ts'

export const processHandlers: HandlersOf<typeof processRoutes> = {
  listProcesses: query(listProcesses, (call) => call.query),
  getProcess: query(getProcess, ({ params }) => params),
  stopProcess: by(orderStop, ({ params, who, deps, receipt }) =>
    deps.launches.stop(params.launchId, 'stopped_by_person', receipt, who),
  ),
  releaseAgent: by(releaseAgent, ({ params, who, deps, receipt }) =>
    deps.launches.release(params, receipt, who),
  ),
  listCoordinators: query(listCoordinators, (call) => call.query),
  takeOverCoordinator: by(takeOverCoordinator, ({ params, who, deps, receipt }) =>
    deps.launches.takeOver(params.coordinatorId, who.id, receipt, who),
  ),
}
