/** User sessions over HTTP (US); what happens in one comes over the relay on `/ws`. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Id } from '../text.ts'
import { NewRole, PromptContent, WorkspacePath } from './relay.ts'
import { RoleAgent, Turn, UserSession } from './user-session.ts'

const NewConsole = z.strictObject({ projectId: Id.optional() })
const SpawnedRole = RoleAgent.pick({ role: true, state: true })
const RoleToFill = z.strictObject({
  role: NewRole,
  agentId: Id.nullish(),
  workspace: WorkspacePath.nullish(),
  load: z.boolean().optional(),
})
const RolePrompt = z.strictObject({ content: PromptContent })
const PromptTaken = z.object({ messageId: z.string() })

export const userSessionRoutes = {
  listUserSessions: route({
    method: 'GET',
    path: '/api/user-sessions',
    summary:
      'List the user sessions that are not terminated, or those that are, newest first: ' +
      "your own, or everybody's for those who manage the installation",
    ...listOf(UserSession, { projectId: Id.optional(), state: UserSession.shape.state.optional() }),
  }),
  createUserSession: route({
    method: 'POST',
    path: '/api/user-sessions',
    summary: 'Create a user session, without agents, in a project; left out, in the only one',
    body: NewConsole,
    status: 201,
    answer: UserSession,
  }),
  getUserSession: route({
    method: 'GET',
    path: '/api/user-sessions/{userSessionId}',
    summary:
      'Read a user session, also a terminated one, with its agents, running turns, waiting ' +
      'messages and open requests',
    answer: UserSession,
  }),
  listTurns: route({
    method: 'GET',
    path: '/api/user-sessions/{userSessionId}/turns',
    summary: 'List the prompts to the agents of a user session and their answers, newest first',
    ...listOf(Turn),
  }),
  spawnAgent: route({
    method: 'POST',
    path: '/api/user-sessions/{userSessionId}/agents',
    summary:
      'Start an agent in a role of a user session; `GET` of the session says when it is ' +
      'ACTIVE. On a role whose agent failed, the retry',
    body: RoleToFill,
    status: 202,
    answer: SpawnedRole,
  }),
  promptRole: route({
    method: 'POST',
    path: '/api/user-sessions/{userSessionId}/agents/{role}/prompts',
    summary:
      'Prompt the agent of a role, which must be ACTIVE; while a turn runs the prompt waits ' +
      'for its end. Its answer is the turn with this `messageId`',
    body: RolePrompt,
    status: 202,
    answer: PromptTaken,
  }),
  terminateUserSession: route({
    method: 'DELETE',
    path: '/api/user-sessions/{userSessionId}',
    summary:
      'Terminate a user session; its agents have 5 seconds to go. Worktrees stay. Also one ' +
      'that is terminated',
  }),
}
