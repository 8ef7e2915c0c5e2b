/**
 * The one list of HTTP routes. A route is data: method, path, scope, schemas. The server's handlers, the OpenAPI document
 * and the client's types all come from here; what is not in this list does not exist.
 */
import { accessRoutes } from './routes/access.ts'
import { agentRoutes } from './routes/agents.ts'
import { eventRoutes } from './routes/events.ts'
import { projectRoutes } from './routes/projects.ts'
import { systemRoutes } from './routes/system.ts'

export const routes = { ...accessRoutes, ...projectRoutes, ...agentRoutes, ...eventRoutes, ...systemRoutes } as const

export type Routes = typeof routes
export type Operation = keyof Routes
