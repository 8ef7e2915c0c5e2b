/**
 * Agents: what can be started, and how. Changing them is for owners, because they name commands
 * (SE4).
 */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { line } from '../text.ts'
import { Agent, AgentChange, AgentDraft, AgentWithPasskey } from './agent.ts'
import { DetectedAgents } from './detected-agent.ts'
import { isolationFields } from './isolation.ts'
import { AgentPreparation, preparationSteps } from './preparation.ts'
import { SandboxProbe } from './sandbox-probe.ts'
import { AgentInspection, SignInAttempt } from './sign-in.ts'

export const agentRoutes = {
  listAgents: route({
    method: 'GET',
    path: '/api/agents',
    summary: 'List the agents, newest first',
    ...listOf(Agent),
  }),
  createAgent: route({
    method: 'POST',
    path: '/api/agents',
    summary: 'Add an agent; its passkey is returned only once',
    body: AgentDraft,
    status: 201,
    answer: AgentWithPasskey,
  }),
  getAgent: route({
    method: 'GET',
    path: '/api/agents/{agentId}',
    summary: 'Read an agent',
    answer: Agent,
  }),
  changeAgent: route({
    method: 'PATCH',
    path: '/api/agents/{agentId}',
    summary: 'Change an agent',
    body: AgentChange,
    answer: Agent,
  }),
  deleteAgent: route({
    method: 'DELETE',
    path: '/api/agents/{agentId}',
    summary: 'Delete an agent and take it off its projects',
  }),
  replacePasskey: route({
    method: 'POST',
    path: '/api/agents/{agentId}/passkey',
    summary: 'Replace the passkey of an agent; the old one stops working at once',
    answer: z.object({ passkey: z.string() }),
  }),
  inspectAgent: route({
    method: 'POST',
    path: '/api/agents/{agentId}/inspect',
    summary:
      "Start an ACP agent on the server's machine, ask what it offers, and end it: ways to " +
      'sign in, and the sessions it keeps, of one folder or of all',
    query: z.object({ folder: line(4096).optional() }),
    answer: AgentInspection,
  }),
  signInAgent: route({
    method: 'POST',
    path: '/api/agents/{agentId}/sign-in',
    summary: "Sign an ACP agent of the server's machine in by a way that needs no terminal",
    body: z.strictObject({ method: line(1000) }),
    status: 201,
    answer: SignInAttempt,
  }),
  getSignIn: route({
    method: 'GET',
    path: '/api/agents/{agentId}/sign-in',
    summary: 'Read the state of the last attempt to sign in an agent on this server',
    answer: SignInAttempt,
  }),
  signOutAgent: route({
    method: 'POST',
    path: '/api/agents/{agentId}/sign-out',
    summary: "Sign an ACP agent of the server's machine out, where it offers that",
  }),
  listDetectedAgents: route({
    method: 'GET',
    path: '/api/detected-agents',
    summary:
      "List the agents installed on the server's machine, each with what to add it with, " +
      'and known agents that are not installed, each with how to install it',
    answer: DetectedAgents,
  }),
  prepareAgent: route({
    method: 'POST',
    path: '/api/detected-agents/{agent}/preparation',
    summary: "Install a known agent on the server's machine, in the data folder, or sign it in",
    body: z.strictObject({ step: z.enum(preparationSteps) }),
    status: 201,
    answer: AgentPreparation,
  }),
  getPreparation: route({
    method: 'GET',
    path: '/api/detected-agents/{agent}/preparation',
    summary: 'Read what the last installation or sign-in of a known agent does, or came to',
    answer: AgentPreparation,
  }),
  answerPreparation: route({
    method: 'POST',
    path: '/api/detected-agents/{agent}/preparation/code',
    summary: 'Give a sign-in the code that the opened page shows',
    body: z.strictObject({ code: line(4096) }),
    answer: AgentPreparation,
  }),
  cancelPreparation: route({
    method: 'DELETE',
    path: '/api/detected-agents/{agent}/preparation',
    summary: 'End an installation or a sign-in; what was installed so far is removed',
    status: 200,
    answer: AgentPreparation,
  }),
  probeSandbox: route({
    method: 'POST',
    path: '/api/sandbox-probe',
    summary:
      "Try whether an agent can run in a sandbox of the server's machine, and say what to " +
      'choose for it',
    body: z.strictObject({
      command: line(4096),
      args: z.array(z.string().max(8192)).max(256).default([]),
      wrapper: isolationFields.wrapper.optional(),
    }),
    answer: SandboxProbe,
  }),
}
