/** `authenticate` (AS1): a process signs in as an agent of a project. */
import * as z from 'zod'
import { AgentSession } from '../../../protocol/agent-session.ts'
import { Id } from '../../../protocol/text.ts'
import { defineTool, writes } from '../tool.ts'

const nothingToDo =
  'There is no work for you in this project. Do nothing more and exit; you are started again when there is some.'

export const authenticate = defineTool({
  name: 'authenticate',
  title: 'Sign in as an agent',
  description:
    'Signs you in. Call it first, once. The server decides what you are here for: a chat or a task. If the answer is no_work there ' +
    'is nothing to do for you, so stop. Otherwise call get_next_action and do what it says until it says exit. ' +
    'Never repeat session_token in anything you write.',
  annotations: writes,
  input: z.strictObject({
    agent_id: Id.optional().describe('Who you are: the id you were given (HOLDFAST_AGENT_ID)'),
    passkey: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Leave it out if your connection carries your credential, as it usually does'),
    project_id: Id.describe('Where you work: the id you were given (HOLDFAST_PROJECT_ID)'),
    launch_id: Id.optional().describe('HOLDFAST_LAUNCH_ID of your environment, if there is one'),
  }),
  output: z.object({
    status: z.enum(['ok', 'no_work']),
    session_token: z.string().optional().describe('Send it with every call, unless your connection carries your own credential'),
    session_id: AgentSession.shape.id.optional(),
    purpose: AgentSession.shape.purpose.optional(),
    expires_at: AgentSession.shape.expiresAt.optional(),
    instruction: z.string().describe('What to do now'),
  }),
  run: async ({ agent_id, passkey, project_id, launch_id }, { doors, presented }) => {
    const claim = { agentId: agent_id, passkey, projectId: project_id, launchId: launch_id }
    const answer = await doors.agents.authenticate(presented, claim)
    if (answer.status === 'no_work') return { status: answer.status, instruction: nothingToDo }
    const { token, agentSession, instruction } = answer
    return {
      status: answer.status,
      session_token: token,
      session_id: agentSession.id,
      purpose: agentSession.purpose,
      expires_at: agentSession.expiresAt,
      instruction,
    }
  },
})
