/** `get_next_action` (NA1): the only loop an agent needs. */
import * as z from 'zod'
import { Refusal } from '../../../domain/errors.ts'
import type { NextAnswer } from '../../../services/find-next-action.ts'
import { superseded } from '../../agents/held-calls.ts'
import { agentSessionToken } from '../arguments.ts'
import { snakeFields } from '../snake-case.ts'
import { ToldDecisions, ToldResumeContext, toldResumeContext } from '../told-resume-context.ts'
import { ToldTask } from '../told-task.ts'
import { defineTool, type ToolCall, writesOnce } from '../tool.ts'

const longestWaitSeconds = 600

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

const output = z.object({
  action: z.enum(actions).describe('What to do now'),
  state: z.enum(states).describe('Where your session stands'),
  instruction: z.string().describe('How to do it; follow it'),
  reason: z.string().optional().describe('With exit: why'),
  wait_seconds: z.number().optional().describe('How long to wait before the next call, if your client cannot hold one'),
  session_timeout_minutes: z.number().optional().describe('The session ends after so long without a message'),
  through_seq: z.int().optional().describe('With summarize_conversation: what to pass to set_summary'),
  approval_id: z.int().optional().describe('With wait_for_approval: what is waited for'),
  task: ToldTask.optional().describe('With work_on_task: the task'),
  decisions: ToldDecisions.optional().describe('With work_on_task: what people decided about your approvals; heed it'),
  resume_context: ToldResumeContext.optional().describe('With resume_work: what is known about the work you take up'),
})

/** NA3: whoever still waits with the older call has nothing to do; calling again would only push out the newer one. */
const olderCall: z.input<typeof output> = {
  action: superseded,
  state: superseded,
  reason: superseded,
  instruction:
    'A newer get_next_action of yours waits in place of this one. Do nothing here and do not call again; go on with that one.',
}

export const getNextAction = defineTool({
  name: 'get_next_action',
  title: 'What to do next',
  description:
    'Says what to do now. Call it after authenticate, do what instruction says, then call it again, until action is exit. ' +
    'This is the only loop you need. With wait_seconds the call is held until something happens, so pass the longest time your ' +
    'client can wait for a tool (50 if you do not know): each call you make costs a turn. One call at a time.',
  annotations: writesOnce,
  mayWait: true,
  input: z.strictObject({
    session_token: agentSessionToken,
    wait_seconds: z
      .number()
      .min(0)
      .max(longestWaitSeconds)
      .optional()
      .describe('Hold the call so long while there is nothing to do; 0 or left out answers at once'),
  }),
  output,
  run: async ({ session_token, wait_seconds = 0 }, call) => {
    const { doors, presented } = call
    const answer = await doors.agents.nextAction(
      presented,
      session_token,
      wait_seconds,
      wait_seconds > 0 ? call.gone() : undefined,
    )
    if (answer === superseded) return olderCall
    if (wait_seconds > 0 && answer.next.action !== 'exit') await stillValid(call)
    return told(answer)
  },
})

/** SE3: a credential that was revoked while the call was held gets nothing more, save that it is over. */
async function stillValid({ doors, presented }: ToolCall): Promise<void> {
  if (!(await doors.credentials.whoHas(presented.hash, presented.secret))) throw new Refusal('authentication_failed')
}

function told({ next, task, resumeContext, decisions }: NextAnswer): z.input<typeof output> {
  const { action, state, instruction } = next
  const always = { action, state, instruction }
  switch (next.action) {
    case 'wait_for_messages':
      return { ...always, wait_seconds: next.waitSeconds, session_timeout_minutes: next.idleTimeoutMinutes }
    case 'wait_for_approval':
      return { ...always, approval_id: next.approvalId, wait_seconds: next.waitSeconds }
    case 'summarize_conversation':
      return { ...always, through_seq: next.throughSeq }
    case 'work_on_task':
      return {
        ...always,
        ...(task && { task: snakeFields(task) }),
        ...(decisions.length > 0 && { decisions: decisions.map(snakeFields) }),
      }
    case 'resume_work':
      return resumeContext ? { ...always, resume_context: toldResumeContext(resumeContext) } : always
    case 'exit':
      return { ...always, reason: next.reason }
    default:
      return always
  }
}
