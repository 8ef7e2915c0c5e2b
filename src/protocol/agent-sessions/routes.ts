/** Agent sessions, and what coordinators report about the processes that hold them. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { ProcessExit, ProcessExitAnswer } from '../processes/process-exit.ts'
import { route } from '../route.ts'
import { AgentSession } from './agent-session.ts'

const Id = z.string().max(200)

export const agentSessionRoutes = {
  listAgentSessions: route({
    method: 'GET',
    path: '/api/agent-sessions',
    summary: 'List the agent sessions, newest first: those that are open, and why the others ended',
    ...listOf(AgentSession, {
      projectId: Id.optional(),
      agentId: Id.optional(),
      state: AgentSession.shape.state.optional(),
    }),
  }),
  reportProcessExit: route({
    method: 'POST',
    path: '/api/coordinator/process-exits',
    summary:
      'Report that a process of an agent has exited; the server decides which of its ' +
      'sessions end',
    body: ProcessExit,
    answer: ProcessExitAnswer,
  }),
}
