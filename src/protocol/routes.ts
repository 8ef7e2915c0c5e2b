/**
 * The one list of HTTP routes. A route is data: method, path, scope, schemas. The server's handlers, the OpenAPI document
 * and the client's types all come from here; what is not in this list does not exist.
 */
import { accessRoutes } from './routes/access.ts'
import { agentSessionRoutes } from './routes/agent-sessions.ts'
import { agentRoutes } from './routes/agents.ts'
import { allowanceRoutes } from './routes/allowances.ts'
import { approachRoutes } from './routes/approaches.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { artifactRoutes } from './routes/artifacts.ts'
import { channelRoutes } from './routes/channels.ts'
import { chatRoutes } from './routes/chat.ts'
import { conversationRoutes } from './routes/conversations.ts'
import { eventRoutes } from './routes/events.ts'
import { noteRoutes } from './routes/notes.ts'
import { processRoutes } from './routes/processes.ts'
import { projectRoutes } from './routes/projects.ts'
import { searchRoutes } from './routes/search.ts'
import { systemRoutes } from './routes/system.ts'
import { taskRoutes } from './routes/tasks.ts'
import { userSessionRoutes } from './routes/user-sessions.ts'
import { workSessionRoutes } from './routes/work-sessions.ts'
import { worktreeRoutes } from './routes/worktrees.ts'

export const routes = {
  ...accessRoutes,
  ...projectRoutes,
  ...agentRoutes,
  ...agentSessionRoutes,
  ...processRoutes,
  ...chatRoutes,
  ...channelRoutes,
  ...conversationRoutes,
  ...searchRoutes,
  ...noteRoutes,
  ...userSessionRoutes,
  ...worktreeRoutes,
  ...workSessionRoutes,
  ...approachRoutes,
  ...artifactRoutes,
  ...taskRoutes,
  ...approvalRoutes,
  ...allowanceRoutes,
  ...eventRoutes,
  ...systemRoutes,
} as const

export type Routes = typeof routes
