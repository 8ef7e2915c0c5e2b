/** The processes of agents, and the coordinators that run them (CO2, CO6, CO7). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Coordinator } from './coordinator.ts'
import { Process, ProcessWithOutput } from './process.ts'

const Id = z.string().max(200)

export const processRoutes = {
  listProcesses: route({
    method: 'GET',
    path: '/api/processes',
    summary: 'List the processes of agents, newest first: those that run, and why the others ended',
    ...listOf(Process, {
      projectId: Id.optional(),
      agentId: Id.optional(),
      state: Process.shape.state.optional(),
    }),
  }),
  getProcess: route({
    method: 'GET',
    path: '/api/processes/{launchId}',
    summary: 'Read a process, with the last lines it wrote',
    answer: ProcessWithOutput,
  }),
  stopProcess: route({
    method: 'POST',
    path: '/api/processes/{launchId}/stop',
    summary:
      'Stop a process; it has ended when its exit is reported. One that waits or is held ' +
      'ends at once',
    answer: Process,
  }),
  releaseAgent: route({
    method: 'POST',
    path: '/api/projects/{projectId}/agents/{agentId}/release',
    summary:
      'Release an agent that is held after too many failed starts; no error if it is not ' + 'held',
    answer: z.object({ process: Process.nullable() }),
  }),
  listCoordinators: route({
    method: 'GET',
    path: '/api/coordinators',
    summary: 'List the coordinators, the one that joined last first',
    ...listOf(Coordinator),
  }),
  takeOverCoordinator: route({
    method: 'POST',
    path: '/api/coordinators/{coordinatorId}/takeover',
    summary:
      'Take over from a coordinator: its processes count as ended, and its later reports ' +
      'are refused. Only if it will not come back',
    answer: Coordinator,
  }),
}
