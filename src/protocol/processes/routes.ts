/** The processes of agents, and the coordinators that run them (CO2, CO6, CO7). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Coordinator } from './coordinator.ts'
import { Process, ProcessWithOutput } from './process.ts'

const Id = z.string().max(200)

export const processRoutes = {
  listProcesses: route('GET /api/processes', 'read', {
    ...listOf(Process, {
      projectId: Id.optional(),
      agentId: Id.optional(),
      state: Process.shape.state.optional(),
    }),
  })`
    List the processes of agents, newest first: what lives now, and why the rest ended`,
  getProcess: route('GET /api/processes/{launchId}', 'read', { answer: ProcessWithOutput })`
    Read a process, with the last lines it wrote`,
  stopProcess: route('POST /api/processes/{launchId}/stop', 'manage', { answer: Process })`
    Stop a process; it is over when its exit is reported. One that waits or is held is over at once`,
  releaseAgent: route('POST /api/projects/{projectId}/agents/{agentId}/release', 'write', {
    answer: z.object({ process: Process.nullable() }),
  })`
    Let an agent go that is held after too many failed starts. Also when it is not held`,
  listCoordinators: route('GET /api/coordinators', 'read', listOf(Coordinator))`
    List the coordinators, the one that joined last first`,
  takeOverCoordinator: route('POST /api/coordinators/{coordinatorId}/takeover', 'manage', {
    answer: Coordinator,
  })`
    Take over from a coordinator: what it ran is over, and whatever it still says is refused. Only if it will not come back`,
}
