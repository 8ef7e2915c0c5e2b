/** MCP tools to sign in, get the next action and log out, and the tools of coordinators. */

import * as z from 'zod'
import { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import { ProcessExit, ProcessExitAnswer } from '../../protocol/processes/process-exit.ts'
import { Id } from '../../protocol/text.ts'
import { superseded } from '../../server/agent-sessions/waiting-calls.ts'
import {
  authenticateAgent,
  logoutAgent,
} from '../../services/flows/agent-sessions/authenticate-agent.ts'
import { reportProcessExit as reportExitFor } from '../../services/flows/processes/report-process-exit.ts'
import {
  findCallersNextAction,
  getAgentAction as getActionFor,
  type NextAnswer,
} from '../../services/flows/work/take-next-action.ts'
import {
  DecisionsAnswer,
  ResumeContextAnswer,
  resumeContextAnswer,
  TaskAnswer,
} from './resume-context-answer.ts'
import { stillValid } from './still-valid.ts'
import {
  agentSessionToken,
  agentTool,
  defineTool,
  reads,
  snakeFields,
  writes,
  writesOnce,
} from './tool.ts'

const nothingToDo =
  'There is no work for you in this project. Stop and exit; you are started again when ' +
  'there is some.'

/** `authenticate` (AS1): a process signs in as an agent of a project. */
export const authenticate = defineTool({
  name: 'authenticate',
  does: authenticateAgent,
  title: 'Sign in as an agent',
  description:
    'Signs you in. Call it first, once. The server decides what you are here for: a chat ' +
    'or a task. If the answer is no_work, there is nothing for you to do, so stop. ' +
    'Otherwise call get_next_action and follow it until it says exit. Never repeat ' +
    'session_token in anything you write.',
  annotations: writes,
  input: {
    agentId: Id.optional().describe('Who you are: the id you were given (HOLDFAST_AGENT_ID)'),
    passkey: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Leave it out if your connection carries your credential, as it usually does'),
    projectId: Id.describe('Where you work: the id you were given (HOLDFAST_PROJECT_ID)'),
    launchId: Id.optional().describe('HOLDFAST_LAUNCH_ID of your environment, if there is one'),
  },
  output: {
    status: z.enum(['ok', 'no_work']),
    session_token: z
      .string()
      .optional()
      .describe('Send it with every call, unless your connection carries your own credential'),
    ['sessionId']: AgentSession.shape.id.optional(),
    purpose: AgentSession.shape.purpose.optional(),
    expiresAt: AgentSession.shape.expiresAt.optional(),
    instruction: z.string().describe('What to do now'),
  },
  run: async (claim, { deps, presented }) => {
    const answer = await deps.agents.authenticate(presented, claim)
    if (answer.status === 'no_work') return { status: answer.status, instruction: nothingToDo }
    const { status, token, agentSession, instruction } = answer
    const { id, purpose, expiresAt } = agentSession
    return { status, session_token: token, ['sessionId']: id, purpose, expiresAt, instruction }
  },
})

const maxWaitSeconds = 600

const actions = [
  'get_pending_messages',
  'wait_for_messages',
  'summarize_conversation',
  'wait_for_approval',
  'work_on_task',
  'resume_work',
  'exit',
  superseded,
] as const
const states = [
  'chat_pending',
  'chat_waiting',
  'chat_timeout',
  'session_closed',
  'summary_due',
  'task_ready',
  'task_resuming',
  'task_done',
  'approval_pending',
  superseded,
] as const

const output = {
  action: z.enum(actions).describe('What to do now'),
  state: z.enum(states).describe('Where your session stands'),
  instruction: z.string().describe('How to do it; follow it'),
  reason: z.string().optional().describe('With exit: why'),
  waitSeconds: z
    .number()
    .optional()
    .describe('How long to wait before the next call, if your client cannot hold one'),
  session_timeout_minutes: z
    .number()
    .optional()
    .describe('The session ends after so long without a message'),
  throughSeq: z
    .int()
    .optional()
    .describe('With summarize_conversation: what to pass to set_summary'),
  approvalId: z.int().optional().describe('With wait_for_approval: what is waited for'),
  task: TaskAnswer.optional().describe('With work_on_task: the task'),
  decisions: DecisionsAnswer.optional().describe(
    'With work_on_task: what people decided about your approvals; heed it',
  ),
  resumeContext: ResumeContextAnswer.optional().describe(
    'With resume_work: what is known about the work you take up',
  ),
}
type Answer = z.input<z.ZodObject<typeof output>>

/**
 * NA3: answer to the older of two waiting calls. Calling again would only supersede the newer one.
 */
const supersededAnswer: Answer = {
  action: superseded,
  state: superseded,
  reason: superseded,
  instruction:
    'A newer get_next_action call of yours is waiting instead of this one. Do nothing ' +
    'here, do not call again, and continue with that one.',
}

/** `get_next_action` (NA1): the only loop an agent needs. */
export const getNextAction = defineTool({
  name: 'get_next_action',
  does: findCallersNextAction,
  title: 'What to do next',
  description:
    'Tells you what to do now. Call it after authenticate, do what instruction says, ' +
    'then call it again, until action is exit. This is the only loop you need. With ' +
    'wait_seconds the call is held until something happens, so pass the longest time ' +
    'your client can wait for a tool (50 if you do not know): each call costs a turn. ' +
    'One call at a time.',
  annotations: writesOnce,
  mayWait: true,
  input: {
    session_token: agentSessionToken,
    waitSeconds: z
      .number()
      .min(0)
      .max(maxWaitSeconds)
      .optional()
      .describe(
        'Hold the call so long while there is nothing to do; 0 or left out answers at once',
      ),
  },
  output,
  run: async ({ session_token, waitSeconds = 0 }, call) => {
    const { deps, presented } = call
    const gone = waitSeconds > 0 ? call.gone() : undefined
    const answer = await deps.agents.nextAction(presented, session_token, waitSeconds, gone)
    if (answer === superseded) return supersededAnswer
    if (waitSeconds > 0 && answer.next.action !== 'exit') await stillValid(call)
    return toAnswer(answer)
  },
})

function toAnswer({ next, task, resumeContext, decisions }: NextAnswer): Answer {
  const { action, state, instruction } = next
  const always = { action, state, instruction }
  switch (next.action) {
    case 'wait_for_messages':
      return {
        ...always,
        waitSeconds: next.waitSeconds,
        session_timeout_minutes: next.idleTimeoutMinutes,
      }
    case 'wait_for_approval':
      return { ...always, approvalId: next.approvalId, waitSeconds: next.waitSeconds }
    case 'summarize_conversation':
      return { ...always, throughSeq: next.throughSeq }
    case 'work_on_task':
      return {
        ...always,
        ...(task && { task: snakeFields(task) }),
        ...(decisions.length > 0 && { decisions: decisions.map(snakeFields) }),
      }
    case 'resume_work':
      return resumeContext
        ? { ...always, resumeContext: resumeContextAnswer(resumeContext) }
        : always
    case 'exit':
      return { ...always, reason: next.reason }
    default:
      return always
  }
}

/** `get_agent_action` (CO3): tells a third-party coordinator whether an agent should be started. */
export const getAgentAction = defineTool({
  name: 'get_agent_action',
  does: getActionFor,
  title: 'For coordinators: should this agent be started?',
  description:
    'For coordinators, the programs that start and watch agent processes; agents do not ' +
    'need it. Says whether a process of this agent should be started in this project now: ' +
    'start, none, or hold (too many failed starts), with the reason.',
  annotations: reads,
  input: { agentId: Id, projectId: Id },
  output: { action: z.enum(['start', 'none', 'hold']), reason: z.string() },
  run: async (input, call) => {
    const { action, reason } = await call.deps.app.read(getActionFor, input, call.presented.who)
    return { action, reason }
  },
})

/**
 * `invalidate_session` (PX1): the predecessor of `report_process_exit`; acts like a report with no
 * process left.
 */
export const invalidateSession = defineTool({
  name: 'invalidate_session',
  does: reportExitFor,
  title: 'For coordinators (deprecated): end all sessions of an agent',
  description:
    'Deprecated: use report_process_exit, which can say which process exited. For ' +
    'coordinators; agents do not need it. Ends every session of the agent in the project, ' +
    'as when none of its processes is left.',
  annotations: writesOnce,
  input: { agentId: Id, projectId: Id },
  output: ProcessExitAnswer.shape,
  run: async (input, call) => {
    return call.deps.agents.reportExit(call.presented.who, { ...input, remainingProcesses: 0 })
  },
})

/** `logout` (AS8): an agent ends its session. */
export const logout = agentTool({
  name: 'logout',
  does: logoutAgent,
  title: 'End your session',
  description:
    'Ends your session. Call it when you have to stop before get_next_action says exit, ' +
    'for example because you cannot continue. Messages you have not answered go to the ' +
    'next agent. After exit it is not needed; calling it twice does no harm.',
  annotations: writesOnce,
  output: { status: z.literal('ended') },
  run: async (_, { caller, deps, presented: { who } }) => {
    await deps.agents.logout(caller, who)
    return { status: 'ended' as const }
  },
})

const exit = ProcessExit.shape

/** `report_process_exit` (PX1): a coordinator states a fact, the server decides. */
export const reportProcessExit = defineTool({
  name: 'report_process_exit',
  does: reportExitFor,
  title: 'For coordinators: a process has exited',
  description:
    'For coordinators; agents do not need it. Reports that a process of an agent in a ' +
    'project has exited, and how many of that agent are left on your machine. With ' +
    'launch_id exactly the session of that launch ends; without it the server decides by ' +
    'what is left. Give report_id, so that a report sent again has no further effect.',
  annotations: writesOnce,
  input: {
    ...exit,
    remainingProcesses: exit.remainingProcesses.describe(
      'Processes of this agent and project that you have left',
    ),
    launchId: exit.launchId.describe('HOLDFAST_LAUNCH_ID of the process that exited'),
    reportId: exit.reportId.describe('Any text of your choice that is new for each report'),
    epoch: exit.epoch.describe(
      'Your epoch; a report from an older one than the server knows is refused',
    ),
  },
  output: ProcessExitAnswer.shape,
  run: async (report, call) => {
    return call.deps.agents.reportExit(call.presented.who, report)
  },
})
