/**
 * The list of all HTTP routes, as data. Handlers, the OpenAPI document and the client's types are
 * derived from it.
 */
import { accessRoutes } from './access/routes.ts'
import { agentSessionRoutes } from './agent-sessions/routes.ts'
import { agentRoutes } from './agents/routes.ts'
import { secretRoutes } from './agents/secret.ts'
import { allowanceRoutes, approvalRoutes } from './approvals/routes.ts'
import { channelRoutes } from './channels/routes.ts'
import { userSessionRoutes } from './consoles/routes.ts'
import { chatRoutes } from './conversations/chat-routes.ts'
import { noteRoutes } from './conversations/note-routes.ts'
import { pastRoutes } from './conversations/past-routes.ts'
import { conversationRoutes, searchRoutes } from './conversations/routes.ts'
import { processRoutes } from './processes/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { hostRoutes } from './review/hosts.ts'
import { landingRoutes } from './review/landing.ts'
import { reviewRoutes } from './review/routes.ts'
import { eventRoutes, systemRoutes } from './system/routes.ts'
import { modelUsageRoutes } from './turns/model-usage.ts'
import { approachRoutes, artifactRoutes, taskRoutes, workSessionRoutes } from './work/routes.ts'
import { worktreeRoutes } from './worktrees/routes.ts'

export const routes = {
  ...accessRoutes,
  ...projectRoutes,
  ...agentRoutes,
  ...secretRoutes,
  ...modelUsageRoutes,
  ...agentSessionRoutes,
  ...processRoutes,
  ...chatRoutes,
  ...channelRoutes,
  ...conversationRoutes,
  ...pastRoutes,
  ...searchRoutes,
  ...noteRoutes,
  ...userSessionRoutes,
  ...worktreeRoutes,
  ...reviewRoutes,
  ...landingRoutes,
  ...hostRoutes,
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
