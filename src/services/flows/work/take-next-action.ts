/**
 * Tells an agent that pulls its work what to do next (NA1), and records what it takes: the task,
 * the resume context, decisions.
 */

import { heldUntil, type NextAction } from '../../../domain/agent-sessions/next-action.ts'
import type { AgentDecision } from '../../../domain/approvals/decision-for-agent.ts'
import { chatKey, webKey } from '../../../domain/conversations/key.ts'
import { epochMs, type Instant } from '../../../domain/instant.ts'
import { type AgentAction, agentAction } from '../../../domain/processes/start.ts'
import { conversationStream, home, projectStream } from '../../../domain/stream-name.ts'
import type { ResumeContext } from '../../../domain/work/resume-context.ts'
import type { Task } from '../../../protocol/work/task.ts'
import { agentSessionOf, type Pair } from '../../../store/agent-sessions/agent-sessions.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import { type Context, defineQuery, defineUseCase, type Tx } from '../../../store/store.ts'
import { type TaskRow, taskOf } from '../../../store/work/tasks.ts'
import { moveAgentSession } from '../../agent-sessions/move-agent-session.ts'
import {
  type CallingSession,
  type Claim,
  callingSession,
  claimedAgentSession,
} from '../../agent-sessions/queries.ts'
import { startFactsOf } from '../../processes/launch-record.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { applyTaskChange } from '../../work/change-task.ts'
import { takeOwnership } from '../../work/end-work-session.ts'
import { placeTask } from '../../work/place-task.ts'
import { resumeContextOf } from '../../work/resume-context.ts'
import { endAgentSession } from '../agent-sessions/end-agent-session.ts'
import { nextStep, nextStepFrom, type Step } from './next-step.ts'

export interface NextAnswer {
  readonly next: NextAction
  /** Set with `work_on_task`. */
  readonly task: Task | null
  /** Set with `resume_work`: the resumed work session, and its context (RS2). */
  readonly resumedWorkSessionId: string | null
  readonly resumeContext: ResumeContext | null
  /** Set with `work_on_task`: decisions not delivered yet (AP8). */
  readonly decisions: readonly AgentDecision[]
}

export interface FoundNextAction extends NextAnswer {
  /** Whether `take-next-action` must write before the answer holds. */
  readonly changes: boolean
  /** How long the call may be held before the next check. 0 means to answer now. */
  readonly holdMs: number
  /** The conversation whose messages it waits for. */
  readonly chatKey: string
  /** CX9: the interval of checks while waiting for a folder, which no event announces. */
  readonly checkAgainMs: number
  /**
   * PX4: the process is suspected to have exited. A waiting call must get the chance to show that
   * it lives.
   */
  readonly suspected: boolean
}

/**
 * Reads what an agent session should do next (NA1), without changes. It reports when the answer
 * needs a write, which `take-next-action` makes, and how long a waiting call may be held.
 */
export const findNextAction = defineQuery('find-next-action', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { waitSeconds, ...caller }: AgentCaller & { waitSeconds: number },
    { now },
  ): Promise<FoundNextAction> => foundFrom(await nextStep(reader, caller, now), now, waitSeconds),
})

interface FoundCall {
  readonly caller: CallingSession
  /** Undefined when the call must be recorded first. */
  readonly next: FoundNextAction | undefined
}

/** Identifies the caller and finds its next action in one snapshot. */
export const findCallersNextAction = defineQuery('find-callers-next-action', {
  scope: 'agent',
  on: 'caller',
  run: async (
    reader,
    { waitSeconds, ...claim }: Claim & { waitSeconds: number },
    { now },
  ): Promise<FoundCall> => {
    const row = await claimedAgentSession(reader, claim)
    const caller = callingSession(row, now)
    if (caller.touches) return { caller, next: undefined }
    return { caller, next: foundFrom(await nextStepFrom(reader, row, now), now, waitSeconds) }
  },
})

/** Interval in which a waiting call checks whether the folder is free. */
const folderCheckMs = 1000

function foundFrom(step: Step, now: Instant, waitSeconds: number): FoundNextAction {
  const until = heldUntil(now, step.next, waitSeconds, step.patience)
  const holdMs = until === undefined ? 0 : epochMs(until) - epochMs(now)
  return {
    ...answerOf(step),
    changes: changes(step),
    chatKey: chatKey(step.agentSession),
    holdMs,
    checkAgainMs: step.waitsForFolder ? Math.min(holdMs, folderCheckMs) : holdMs,
    suspected: step.agentSession.suspectedAt !== null,
  }
}

const changes = ({ next, takesUp, places, begins, resumes, decisions }: Step): boolean =>
  endReasonOf(next) !== null ||
  takesUp !== null ||
  places ||
  begins ||
  resumes !== null ||
  decisions.length > 0

export const answerOf = ({ next, task, resumes, decisions }: Step): NextAnswer => ({
  next,
  task: task ? taskOf(task) : null,
  resumedWorkSessionId: resumes,
  // Delivering it is a write, so `take-next-action` adds it.
  resumeContext: null,
  decisions,
})

export const endReasonOf = (next: NextAction) => (next.action === 'exit' ? next.ends : null)

/**
 * Whether an agent should be started in a project (`get_agent_action`, CO3), for third-party
 * coordinators.
 */
export const getAgentAction = defineQuery('get-agent-action', {
  scope: 'coordinator',
  on: 'agent',
  run: async (reader, pair: Pair, { now }): Promise<AgentAction> => {
    await checkAssigned(reader, pair)
    return agentAction(now, await startFactsOf(reader, { ...pair, lane: '' }, now))
  },
})

/**
 * Answers an agent session's next action and makes the changes it implies in the same commit (NA4,
 * NA5, NA11): ends the session, takes over a work session, or places a task. Decides again under
 * the chat's lock, so that no message arrives between "nothing is unread" and the end (NA2).
 */
export const takeNextAction = defineUseCase('take-next-action', {
  scope: 'agent',
  on: 'caller',
  streams: (input: AgentCaller) => [
    home,
    projectStream(input.projectId),
    conversationStream(webKey(input.projectId, input.agentId)),
  ],
  run: async (tx, caller, context): Promise<NextAnswer> => {
    const step = await nextStep(tx, caller, context.now)
    tx.lock(conversationStream(chatKey(step.agentSession)))
    const reason = endReasonOf(step.next)
    if (reason !== null) await endAgentSession(tx, step.agentSession, reason, context)
    const task = step.task && (await placeOrStartTask(tx, step.task, step, context))
    await markDelivered(tx, step.agentSession.id, step.decisions)
    const takesUp = step.places ? (task?.session_id ?? null) : step.takesUp
    if (takesUp !== null && takesUp !== step.agentSession.workSessionId)
      await ownWorkSession(tx, step, takesUp)
    return { ...answerOf({ ...step, task }), resumeContext: await deliverResumeContext(tx, step) }
  },
})

/**
 * WK4, WK5: places the task into a work session if it has none, and starts it if it is the next of
 * its plan.
 */
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

async function markDelivered(
  tx: Tx,
  agentSessionId: string,
  decisions: readonly AgentDecision[],
): Promise<void> {
  for (const { approvalId: id, status } of decisions)
    if (status !== 'pending') await tx.update('human_approvals', { id, told_to: agentSessionId })
}

/** RS2: returns the context of the resumed work, once. */
async function deliverResumeContext(
  tx: Tx,
  { agentSession, resumes }: Step,
): Promise<ResumeContext | null> {
  const row = resumes === null ? undefined : await tx.row('sessions', { id: resumes })
  if (!row) return null
  await tx.update('agent_sessions', { id: agentSession.id, resumed_work_session_id: row.id })
  const context = await resumeContextOf(tx, row, agentSession.agentId)
  await markDelivered(tx, agentSession.id, context.decisions)
  return context
}

async function ownWorkSession(
  tx: Tx,
  { agentSession }: Step,
  workSessionId: string,
): Promise<void> {
  const changed = { ...agentSession, workSessionId }
  await moveAgentSession(tx, changed)
  await takeOwnership(tx, workSessionId, agentSession.id)
  tx.append(projectStream(agentSession.projectId), {
    type: 'agent-session-changed',
    data: { agentSession: agentSessionOf(changed) },
  })
}
