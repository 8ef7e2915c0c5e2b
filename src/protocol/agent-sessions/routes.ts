/** Agent sessions, and what coordinators report about the processes that hold them. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { ProcessExit, ProcessExitAnswer } from '../processes/process-exit.ts'
import { route } from '../route.ts'
import { AgentSession } from './agent-session.ts'

const Id = z.string().max(200)

export const agentSessionRoutes = {
  listAgentSessions: route('GET /api/agent-sessions', 'read', {
    ...listOf(AgentSession, {
      projectId: Id.optional(),
      agentId: Id.optional(),
      state: AgentSession.shape.state.optional(),
    }),
  })`
    List the agent sessions, newest first: what lives now, and why the rest ended`,
  reportProcessExit: route('POST /api/coordinator/process-exits', 'coordinator', {
    body: ProcessExit,
    answer: ProcessExitAnswer,
  })`
    A process of an agent has exited; the server decides which of its sessions end`,
}
