/** Agents: what can be started, and how. Changing them is for owners, because they name commands (SE4). */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { line } from '../text.ts'
import { Agent, AgentChange, AgentDraft, AgentWithPasskey } from './agent.ts'
import { DetectedAgents } from './detected-agent.ts'
import { SandboxProbe } from './sandbox-probe.ts'

export const agentRoutes = {
  listAgents: route('GET /api/agents', 'read', { summary: 'List the agents, newest first', ...listOf(Agent) }),
  createAgent: route('POST /api/agents', 'manage', {
    summary: 'Add an agent; its passkey is in this answer and never again',
    body: AgentDraft,
    status: 201,
    answer: AgentWithPasskey,
  }),
  getAgent: route('GET /api/agents/{agentId}', 'read', { summary: 'Read an agent', answer: Agent }),
  changeAgent: route('PATCH /api/agents/{agentId}', 'manage', { summary: 'Change an agent', body: AgentChange, answer: Agent }),
  deleteAgent: route('DELETE /api/agents/{agentId}', 'manage', { summary: 'Delete an agent and take it off its projects' }),
  replacePasskey: route('POST /api/agents/{agentId}/passkey', 'manage', {
    summary: 'Replace the passkey of an agent; the old one stops working at once',
    answer: z.object({ passkey: z.string() }),
  }),
  listDetectedAgents: route('GET /api/detected-agents', 'manage', {
    summary:
      "Agents that are installed on the server's machine, each with what to add it with; and known ones that are not, each with how to install it",
    answer: DetectedAgents,
  }),
  probeSandbox: route('POST /api/sandbox-probe', 'manage', {
    summary: "Try whether an agent can run in a sandbox of the server's machine, and say what to choose for it",
    body: z.strictObject({ command: line(4096), args: z.array(z.string().max(8192)).max(256).default([]) }),
    answer: SandboxProbe,
  }),
}
