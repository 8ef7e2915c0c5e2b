/** Agents: what can be started, and how. Changing them is for owners, because they name commands (SE4). */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Agent, AgentChange, AgentDraft, AgentWithPasskey } from './agent.ts'
import { DetectedAgents } from './detected-agent.ts'

const agentId = z.object({ agentId: z.string().max(200) })

export const agentRoutes = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    scope: 'read',
    summary: 'List the agents, newest first',
    query: PageQuery,
    status: 200,
    answer: pageOf(Agent),
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    scope: 'manage',
    summary: 'Add an agent; its passkey is in this answer and never again',
    body: AgentDraft,
    status: 201,
    answer: AgentWithPasskey,
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/{agentId}',
    scope: 'read',
    summary: 'Read an agent',
    params: agentId,
    status: 200,
    answer: Agent,
  },
  changeAgent: {
    method: 'PATCH',
    path: '/api/agents/{agentId}',
    scope: 'manage',
    summary: 'Change an agent',
    params: agentId,
    body: AgentChange,
    status: 200,
    answer: Agent,
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/{agentId}',
    scope: 'manage',
    summary: 'Delete an agent and take it off its projects',
    params: agentId,
    status: 204,
  },
  replacePasskey: {
    method: 'POST',
    path: '/api/agents/{agentId}/passkey',
    scope: 'manage',
    summary: 'Replace the passkey of an agent; the old one stops working at once',
    params: agentId,
    status: 200,
    answer: z.object({ passkey: z.string() }),
  },
  listDetectedAgents: {
    method: 'GET',
    path: '/api/detected-agents',
    scope: 'manage',
    summary:
      "Agents that are installed on the server's machine, each with what to add it with; and known ones that are not, each with how to install it",
    status: 200,
    answer: DetectedAgents,
  },
} as const satisfies Record<string, Route>
