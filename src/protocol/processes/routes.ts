/** The processes of agents, and the coordinators that run them (CO2, CO6, CO7). */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Coordinator } from './coordinator.ts'
import { Process, ProcessWithOutput } from './process.ts'

const Id = z.string().max(200)
const launch = z.object({ launchId: Id })

export const processRoutes = {
  listProcesses: {
    method: 'GET',
    path: '/api/processes',
    scope: 'read',
    summary: 'List the processes of agents, newest first: what lives now, and why the rest ended',
    query: PageQuery.extend({ projectId: Id.optional(), agentId: Id.optional(), state: Process.shape.state.optional() }),
    status: 200,
    answer: pageOf(Process),
  },
  getProcess: {
    method: 'GET',
    path: '/api/processes/{launchId}',
    scope: 'read',
    summary: 'Read a process, with the last lines it wrote',
    params: launch,
    status: 200,
    answer: ProcessWithOutput,
  },
  stopProcess: {
    method: 'POST',
    path: '/api/processes/{launchId}/stop',
    scope: 'manage',
    summary: 'Stop a process; it is over when its exit is reported. One that waits or is held is over at once',
    params: launch,
    status: 200,
    answer: Process,
  },
  releaseAgent: {
    method: 'POST',
    path: '/api/projects/{projectId}/agents/{agentId}/release',
    scope: 'write',
    summary: 'Let an agent go that is held after too many failed starts. Also when it is not held',
    params: z.object({ projectId: Id, agentId: Id }),
    status: 200,
    answer: z.object({ process: Process.nullable() }),
  },
  listCoordinators: {
    method: 'GET',
    path: '/api/coordinators',
    scope: 'read',
    summary: 'List the coordinators, the one that joined last first',
    query: PageQuery,
    status: 200,
    answer: pageOf(Coordinator),
  },
  takeOverCoordinator: {
    method: 'POST',
    path: '/api/coordinators/{coordinatorId}/takeover',
    scope: 'manage',
    summary:
      'Take over from a coordinator: what it ran is over, and whatever it still says is refused. Only if it will not come back',
    params: z.object({ coordinatorId: Id }),
    status: 200,
    answer: Coordinator,
  },
} as const satisfies Record<string, Route>
