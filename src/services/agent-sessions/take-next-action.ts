/**
 * Answers an agent session's next action and makes the changes it implies in the same commit (NA4, NA5, NA11): ends the
 * session, takes over a work session, or places a task. Decides again under the chat's lock, so that no message arrives between
 * "nothing is unread" and the end (NA2).
 */
import type { AgentDecision } from '../../domain/approvals/decision-for-agent.ts'
import { webKey } from '../../domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { ResumeContext } from '../../domain/work/resume-context.ts'
import { agentSessionOf, changesOf, updateAgentSession } from '../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { type Context, defineUseCase, type Tx } from '../../store/store.ts'
import type { TaskRow } from '../../store/work/tasks.ts'
import { applyTaskChange } from '../work/change-task.ts'
import { placeTask } from '../work/place-task.ts'
import { resumeContextOf } from '../work/resume-work-session.ts'
import { takeOwnership } from '../work/work-session-record.ts'
import { type EndLocks, endAgentSession, endingStreams } from './agent-session-end.ts'
import { answerOf, endReasonOf, type NextAnswer } from './find-next-action.ts'
import { nextStep, type Step } from './next-step.ts'

export const takeNextAction = defineUseCase('take-next-action', {
  streams: (input: AgentCaller & EndLocks) => [
    ...endingStreams(input),
    conversationStream(webKey(input.projectId, input.agentId)),
  ],
  run: async (tx, { openConversations, ...caller }, context): Promise<NextAnswer> => {
    const step = await nextStep(tx, caller, context.now)
    const reason = endReasonOf(step.next)
    if (reason !== null) await endAgentSession(tx, step.agentSession, { reason, openConversations }, context)
    const task = step.task && (await placeOrStartTask(tx, step.task, step, context))
    await markDelivered(tx, step.agentSession.id, step.decisions)
    const takesUp = step.places ? (task?.session_id ?? null) : step.takesUp
    if (takesUp !== null && takesUp !== step.agentSession.workSessionId) await ownWorkSession(tx, step, takesUp)
    return { ...answerOf({ ...step, task }), resumeContext: await deliverResumeContext(tx, step) }
  },
})

/** WK4, WK5: places the task into a work session if it has none, and starts it if it is the next of its plan. */
async function placeOrStartTask(
  tx: Tx,
  task: TaskRow,
  { agentSession, places, begins }: Step,
  context: Context,
): Promise<TaskRow> {
  if (places) return placeTask(tx, task, agentSession, context)
  if (!begins) return task
  const { agentId, projectId } = agentSession
  await applyTaskChange(tx, task, { status: 'in_progress' }, { by: agentId, now: context.now })
  return (await tx.row('tasks', { project_id: projectId, id: task.id })) ?? task
}

async function markDelivered(tx: Tx, agentSessionId: string, decisions: readonly AgentDecision[]): Promise<void> {
  for (const { approvalId: id, status } of decisions)
    if (status !== 'pending') await tx.change('human_approvals', { id, told_to: agentSessionId })
}

/** RS2: returns the context of the resumed work, once. */
async function deliverResumeContext(tx: Tx, { agentSession, resumes }: Step): Promise<ResumeContext | null> {
  const row = resumes === null ? undefined : await tx.row('sessions', { id: resumes })
  if (!row) return null
  await tx.change('agent_sessions', { id: agentSession.id, resumed_work_session_id: row.id })
  const context = await resumeContextOf(tx, row, agentSession.agentId)
  await markDelivered(tx, agentSession.id, context.decisions)
  return context
}

async function ownWorkSession(tx: Tx, { agentSession }: Step, workSessionId: string): Promise<void> {
  const changed = { ...agentSession, workSessionId }
  await tx.write(updateAgentSession, changesOf(changed))
  await takeOwnership(tx, workSessionId, agentSession.id)
  tx.append(projectStream(agentSession.projectId), {
    type: 'agent-session-changed',
    data: { agentSession: agentSessionOf(changed) },
  })
}
