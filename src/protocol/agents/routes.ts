/** Agents: what can be started, and how. Changing them is for owners, because they name commands (SE4). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { line } from '../text.ts'
import { Agent, AgentChange, AgentDraft, AgentWithPasskey } from './agent.ts'
import { DetectedAgents } from './detected-agent.ts'
import { isolationFields } from './isolation.ts'
import { SandboxProbe } from './sandbox-probe.ts'
import { AgentInspection, SignInAttempt } from './sign-in.ts'

export const agentRoutes = {
  listAgents: route('GET /api/agents', 'read', listOf(Agent))`List the agents, newest first`,
  createAgent: route('POST /api/agents', 'manage', {
    body: AgentDraft,
    status: 201,
    answer: AgentWithPasskey,
  })`
    Add an agent; its passkey is in this answer and never again`,
  getAgent: route('GET /api/agents/{agentId}', 'read', { answer: Agent })`Read an agent`,
  changeAgent: route('PATCH /api/agents/{agentId}', 'manage', {
    body: AgentChange,
    answer: Agent,
  })`Change an agent`,
  deleteAgent: route(
    'DELETE /api/agents/{agentId}',
    'manage',
  )`Delete an agent and take it off its projects`,
  replacePasskey: route('POST /api/agents/{agentId}/passkey', 'manage', {
    answer: z.object({ passkey: z.string() }),
  })`
    Replace the passkey of an agent; the old one stops working at once`,
  inspectAgent: route('POST /api/agents/{agentId}/inspect', 'manage', {
    query: z.object({ folder: line(4096).optional() }),
    answer: AgentInspection,
  })`
    Start an ACP agent on the server's machine, ask what it offers, and end it: ways to sign in, and the sessions it keeps, of one folder or of all`,
  signInAgent: route('POST /api/agents/{agentId}/sign-in', 'manage', {
    body: z.strictObject({ method: line(1000) }),
    status: 201,
    answer: SignInAttempt,
  })`
    Sign an ACP agent of the server's machine in by a way that needs no terminal`,
  getSignIn: route('GET /api/agents/{agentId}/sign-in', 'manage', { answer: SignInAttempt })`
    What has become of the last attempt to sign an agent in at this server`,
  signOutAgent: route('POST /api/agents/{agentId}/sign-out', 'manage')`
    Sign an ACP agent of the server's machine out, where it offers that`,
  listDetectedAgents: route('GET /api/detected-agents', 'manage', { answer: DetectedAgents })`
    Agents that are installed on the server's machine, each with what to add it with; and known ones that are not, each with how to install it`,
  probeSandbox: route('POST /api/sandbox-probe', 'manage', {
    body: z.strictObject({
      command: line(4096),
      args: z.array(z.string().max(8192)).max(256).default([]),
      wrapper: isolationFields.wrapper.optional(),
    }),
    answer: SandboxProbe,
  })`
    Try whether an agent can run in a sandbox of the server's machine, and say what to choose for it`,
}
