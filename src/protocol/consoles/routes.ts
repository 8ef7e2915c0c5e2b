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
  listUserSessions: route('GET /api/user-sessions', 'read', {
    ...listOf(UserSession, { projectId: Id.optional(), state: UserSession.shape.state.optional() }),
  })`
    List the user sessions that are not terminated, or those that are, newest first: your own, or everybody's for who manages the installation`,
  createUserSession: route('POST /api/user-sessions', 'write', {
    body: NewConsole,
    status: 201,
    answer: UserSession,
  })`
    Begin a user session, without agents, in a project; left out, in the only one`,
  getUserSession: route('GET /api/user-sessions/{userSessionId}', 'read', { answer: UserSession })`
    Read a user session with its agents, what runs, what waits and what is asked; also one that is terminated`,
  listTurns: route('GET /api/user-sessions/{userSessionId}/turns', 'read', listOf(Turn))`
    List what was said to the agents of a user session and what they answered, newest first`,
  spawnAgent: route('POST /api/user-sessions/{userSessionId}/agents', 'write', {
    body: RoleToFill,
    status: 202,
    answer: SpawnedRole,
  })`
    Start an agent in a role of a user session; \`GET\` of the session says when it is ACTIVE. On a role whose agent failed, the retry`,
  promptRole: route('POST /api/user-sessions/{userSessionId}/agents/{role}/prompts', 'write', {
    body: RolePrompt,
    status: 202,
    answer: PromptTaken,
  })`
    Prompt the agent of a role, which must be ACTIVE; while a turn runs the prompt waits for its end. Its answer is the turn with this \`messageId\``,
  terminateUserSession: route('DELETE /api/user-sessions/{userSessionId}', 'write')`
    Terminate a user session; its agents have 5 seconds to go. Worktrees stay. Also one that is terminated`,
}
