/** Finds what an agent session should do next, and carries it out. */

import type { AgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import {
  type ChatFacts,
  heldUntil,
  type NextAction,
  nextAction,
  type TaskFacts,
  type WaitSettings,
} from '../../domain/agent-sessions/next-action.ts'
import type { AgentDecision } from '../../domain/approvals/decision-for-agent.ts'
import { isWork, webKey } from '../../domain/conversations/key.ts'
import { isSummaryDue } from '../../domain/conversations/messages.ts'
import { epochMs, type Instant } from '../../domain/instant.ts'
import { type AgentAction, agentAction } from '../../domain/processes/start.ts'
import { durationMs, type ProjectSettings } from '../../domain/projects/settings.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import { chooseDispatch } from '../../domain/turns/lifecycle.ts'
import type { ResumeContext } from '../../domain/work/resume-context.ts'
import type { Task } from '../../protocol/work/task.ts'
import {
  type AgentSessionRow,
  type AgentSessionState,
  agentSessionFrom,
  agentSessionOf,
  type ChatState,
  changesOf,
  chatState,
  type Pair,
  selectAgentSessionState,
  updateAgentSession,
} from '../../store/agent-sessions/agent-sessions.ts'
import { selectLastMessage } from '../../store/conversations/messages.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import {
  type Context,
  defineQuery,
  defineUseCase,
  type Reader,
  type Tx,
} from '../../store/store.ts'
import { selectContextsOfLaunch } from '../../store/turns/contexts.ts'
import { queuedChats, selectRunningOfSession } from '../../store/turns/turns.ts'
import { selectNextTaskIn, selectTaskAtHand, type TaskRow, taskOf } from '../../store/work/tasks.ts'
import { awaitedApproval, decisionsAt } from '../approvals/decisions-for-agents.ts'
import { startableChats } from '../conversations/conversation-workplace.ts'
import { startFactsOf } from '../processes/launch-record.ts'
import { checkAssigned, settingsFrom } from '../projects/project-record.ts'
import { contextFacts } from '../turns/context-record.ts'
import { applyTaskChange, placeTask } from '../work/change-task.ts'
import { takeOwnership } from '../work/end-work-session.ts'
import { resumeContextOf } from '../work/resume-work-session.ts'
import { type EndLocks, endAgentSession, endingStreams } from './agent-session-end.ts'
import { checkedOwn } from './agent-session-record.ts'
import { type CallingSession, type Claim, callingSession, claimedAgentSession } from './queries.ts'

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
  /** CX9: the interval of checks while waiting for a folder, which no event announces. */
  readonly checkAgainMs: number
  /** PX4: the process is suspected to have exited. A waiting call must get the chance to show that it lives. */
  readonly suspected: boolean
}

/**
 * Reads what an agent session should do next (NA1), without changes. It reports when the answer needs a write, which
 * `take-next-action` makes, and how long a waiting call may be held.
 */
export const findNextAction = defineQuery(
  async (
    reader,
    { waitSeconds, ...caller }: AgentCaller & { waitSeconds: number },
    { now },
  ): Promise<FoundNextAction> => foundFrom(await nextStep(reader, caller, now), now, waitSeconds),
)

interface FoundCall {
  readonly caller: CallingSession
  /** Undefined when the call must be recorded first. */
  readonly next: FoundNextAction | undefined
}

/** Identifies the caller and finds its next action in one snapshot. */
export const findCallersNextAction = defineQuery(
  async (
    reader,
    { waitSeconds, ...claim }: Claim & { waitSeconds: number },
    { now },
  ): Promise<FoundCall> => {
    const row = await claimedAgentSession(reader, claim)
    const caller = callingSession(row, now)
    if (caller.touches) return { caller, next: undefined }
    return { caller, next: foundFrom(await nextStepFrom(reader, row, now), now, waitSeconds) }
  },
)

/** Interval in which a waiting call checks whether the folder is free. */
const folderCheckMs = 1000

function foundFrom(step: Step, now: Instant, waitSeconds: number): FoundNextAction {
  const until = heldUntil(now, step.next, waitSeconds, step.patience)
  const holdMs = until === undefined ? 0 : epochMs(until) - epochMs(now)
  return {
    ...answerOf(step),
    changes: changes(step),
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

/** Whether an agent should be started in a project (`get_agent_action`, CO3), for third-party coordinators. */
export const getAgentAction = defineQuery(
  async (reader, pair: Pair, { now }): Promise<AgentAction> => {
    await checkAssigned(reader, pair)
    return agentAction(now, await startFactsOf(reader, pair, now))
  },
)

/**
 * Answers an agent session's next action and makes the changes it implies in the same commit (NA4, NA5, NA11): ends the
 * session, takes over a work session, or places a task. Decides again under the chat's lock, so that no message arrives between
 * "nothing is unread" and the end (NA2).
 */
export const takeNextAction = defineUseCase('take-next-action', {
  streams: (input: AgentCaller & EndLocks) => [
    ...endingStreams(input),
    conversationStream(webKey(input.projectId, input.agentId)),
  ],
  run: async (tx, { openConversations, ...caller }, context): Promise<NextAnswer> => {
    const step = await nextStep(tx, caller, context.now)
    const reason = endReasonOf(step.next)
    if (reason !== null)
      await endAgentSession(tx, step.agentSession, { reason, openConversations }, context)
    const task = step.task && (await placeOrStartTask(tx, step.task, step, context))
    await markDelivered(tx, step.agentSession.id, step.decisions)
    const takesUp = step.places ? (task?.session_id ?? null) : step.takesUp
    if (takesUp !== null && takesUp !== step.agentSession.workSessionId)
      await ownWorkSession(tx, step, takesUp)
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

async function markDelivered(
  tx: Tx,
  agentSessionId: string,
  decisions: readonly AgentDecision[],
): Promise<void> {
  for (const { approvalId: id, status } of decisions)
    if (status !== 'pending') await tx.change('human_approvals', { id, told_to: agentSessionId })
}

/** RS2: returns the context of the resumed work, once. */
async function deliverResumeContext(
  tx: Tx,
  { agentSession, resumes }: Step,
): Promise<ResumeContext | null> {
  const row = resumes === null ? undefined : await tx.row('sessions', { id: resumes })
  if (!row) return null
  await tx.change('agent_sessions', { id: agentSession.id, resumed_work_session_id: row.id })
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
  await tx.write(updateAgentSession, changesOf(changed))
  await takeOwnership(tx, workSessionId, agentSession.id)
  tx.append(projectStream(agentSession.projectId), {
    type: 'agent-session-changed',
    data: { agentSession: agentSessionOf(changed) },
  })
}

// Loads the facts and decides an agent session's next step (NA1), for `find-next-action` and `take-next-action`.

/** For a deleted agent, whose sessions end soon. */
const holdSecondsOfDeletedAgent = 1

export interface Step {
  readonly agentSession: AgentSession
  readonly patience: WaitSettings
  readonly next: NextAction
  /** CX9: all its work waits for another turn in the same folder. */
  readonly waitsForFolder: boolean
  readonly task: TaskRow | undefined
  /** A work session that it starts to own. */
  readonly takesUp: string | null
  /** The task must be placed into a work session (WK4). */
  readonly places: boolean
  /** The task is the next of its plan and starts now (WK5). */
  readonly begins: boolean
  /** The resumed work session whose context is delivered now. */
  readonly resumes: string | null
  /** Decisions that this agent session has not received (AP8). */
  readonly decisions: readonly AgentDecision[]
}

export async function nextStep(reader: Reader, caller: AgentCaller, now: Instant): Promise<Step> {
  const row = checkedOwn(
    await reader.first(selectAgentSessionState, { id: caller.agentSessionId }),
    caller,
  )
  return nextStepFrom(reader, row, now)
}

/** The same for a caller that has already loaded the session. */
export async function nextStepFrom(
  reader: Reader,
  row: AgentSessionState,
  now: Instant,
): Promise<Step> {
  const caller = { agentSessionId: row.id, agentId: row.agent_id, projectId: row.project_id }
  const agentSession = agentSessionFrom(row)
  const settings = settingsFrom(row.project_settings)
  const patience = {
    settings,
    holdSeconds: holdSecondsWithin(settings, row.hold_seconds ?? holdSecondsOfDeletedAgent),
  }
  const decided = (facts: ChatFacts | TaskFacts) => nextAction(now, agentSession, facts, patience)
  if (agentSession.purpose === 'chat') {
    const facts = await chatFacts(reader, caller, row, settings)
    return {
      agentSession,
      patience,
      next: decided(facts),
      waitsForFolder: facts.waitsForFolder,
      ...noTask,
    }
  }
  const { task, workSessionId, ...facts } = await taskFacts(reader, caller, row)
  const next = decided(facts)
  return {
    agentSession,
    patience,
    next,
    waitsForFolder: false,
    task: next.action === 'work_on_task' ? task : undefined,
    takesUp: next.action !== 'exit' && workSessionId !== row.work_session_id ? workSessionId : null,
    places: next.action === 'work_on_task' && task?.session_id === null,
    begins: next.action === 'work_on_task' && task?.status === 'pending',
    resumes: next.action === 'resume_work' ? workSessionId : null,
    decisions:
      next.action === 'work_on_task' && task
        ? await undeliveredDecisions(reader, { ...caller, workSessionId }, task)
        : [],
  }
}

const noTask = {
  task: undefined,
  takesUp: null,
  places: false,
  begins: false,
  resumes: null,
  decisions: [],
} as const

async function undeliveredDecisions(
  reader: Reader,
  at: AgentCaller & { workSessionId: string | null },
  task: TaskRow,
): Promise<AgentDecision[]> {
  const decided = await decisionsAt(reader, at, task)
  return decided
    .filter(
      ({ told_to, decision }) => decision.status !== 'pending' && told_to !== at.agentSessionId,
    )
    .map(({ decision }) => decision)
}

/** AS6: a held call must return before the session expires. */
const holdSecondsWithin = (settings: ProjectSettings, holdSeconds: number): number =>
  Math.max(
    1,
    Math.min(holdSeconds, Math.floor(durationMs(settings, 'agent_session.ttl_minutes') / 2000)),
  )

async function chatFacts(
  reader: Reader,
  caller: AgentCaller,
  row: AgentSessionState,
  settings: ProjectSettings,
): Promise<ChatFacts> {
  const key = row.bound_key ?? webKey(caller.projectId, caller.agentId)
  const found = await chatState(reader, caller, key)
  const { undelivered, yieldsConversation, waitsForFolder } =
    found.unread > found.held ? await waitingChats(reader, caller, row) : noWaitingChats
  return {
    purpose: 'chat',
    undelivered,
    unanswered: found.held,
    yieldsConversation,
    waitsForFolder,
    // NA9: requested only when nothing is unread, so that a summary can cover everything.
    summaryDue: await summaryDueIn(reader, row, { key, found }, settings),
    approvalId: found.approval_id,
    approvalDecidedAt: found.decided_at,
  }
}

const noWaitingChats = { undelivered: 0, yieldsConversation: false, waitsForFolder: false }

/** The chats waiting for a pulling agent. It holds one conversation; others are for another process. */
async function waitingChats(
  reader: Reader,
  { agentId, projectId, agentSessionId }: AgentCaller,
  row: AgentSessionState,
) {
  const waiting = await queuedChats(reader, { agentId, projectId })
  const running = await reader.first(selectRunningOfSession, { agentSessionId })
  if (running) {
    const joins = waiting.filter(
      (each) =>
        each.conversationKey === running.conversation_key && each.originKey === running.origin_key,
    )
    return { ...noWaitingChats, undelivered: joins.length }
  }
  const bound =
    row.context_id === null ? undefined : await reader.row('contexts', { id: row.context_id })
  const contexts = bound ? [await contextFacts(reader, bound)] : []
  const free = await startableChats(reader, { agentId, projectId })
  const { dispatch } = chooseDispatch(free, {
    contexts,
    contextLimit: 1,
    runningTurns: 0,
    isOpening: false,
  })
  const waitsForFolder = free.length === 0 && waiting.length > 0
  return {
    undelivered: typeof dispatch === 'object' ? 1 : 0,
    yieldsConversation: dispatch === 'make-room',
    waitsForFolder,
  }
}

/** Finds a conversation that needs a summary: the one the session holds, or any context of its process. */
async function summaryDueIn(
  reader: Reader,
  { context_id, launch_id: launchId }: AgentSessionState,
  { key, found }: { key: string; found: ChatState },
  settings: ProjectSettings,
): Promise<ChatFacts['summaryDue']> {
  const contexts =
    context_id !== null || launchId === null
      ? []
      : await reader.all(selectContextsOfLaunch, { launchId })
  if (contexts.length === 0) return isDue(found, settings) ? wholeConversation(reader, key) : null
  for (const { conversation_key, origin_key } of contexts) {
    if (origin_key !== '' || isWork(conversation_key)) continue
    const row = await reader.row('conversations', { key: conversation_key })
    if (row && isDue(row, settings)) return wholeConversation(reader, conversation_key)
  }
  return null
}

async function wholeConversation(reader: Reader, key: string): Promise<ChatFacts['summaryDue']> {
  const throughSeq = (await reader.first(selectLastMessage, { key }))?.seq
  return throughSeq === undefined ? null : { conversationKey: key, throughSeq }
}

type SummaryState = Pick<
  ChatState,
  'summary' | 'summary_through' | 'kept_after' | 'unsummarised_chars'
>

function isDue(
  { summary, summary_through, kept_after, unsummarised_chars }: SummaryState,
  settings: ProjectSettings,
): boolean {
  if (
    summary === null ||
    summary_through === null ||
    kept_after === null ||
    unsummarised_chars === null
  )
    return false
  const summarised = {
    summary,
    summaryThrough: summary_through,
    keptAfter: kept_after,
    unsummarisedChars: unsummarised_chars,
  }
  return isSummaryDue(summarised, settings)
}

async function taskFacts(
  reader: Reader,
  { agentId, projectId }: AgentCaller,
  row: AgentSessionRow,
) {
  const task = await ownTask(reader, row)
  const workSessionId = task?.session_id ?? row.work_session_id
  const facts: TaskFacts = {
    purpose: 'task',
    approvalId: await awaitedApproval(reader, { agentId, projectId, workSessionId }, task),
    resumes:
      workSessionId !== null &&
      workSessionId !== row.resumed_work_session_id &&
      (await isResumed(reader, workSessionId)),
    taskId: task?.id ?? null,
  }
  return { ...facts, task, workSessionId }
}

/** The task in progress, or else the next one of its plan. */
async function ownTask(reader: Reader, row: AgentSessionRow): Promise<TaskRow | undefined> {
  const { agent_id: agentId, project_id: projectId, work_session_id: workSessionId } = row
  const atHand = await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId })
  if (atHand || workSessionId === null) return atHand
  return reader.first(selectNextTaskIn, { agentId, workSessionId })
}

async function isResumed(reader: Reader, workSessionId: string): Promise<boolean> {
  const row = await reader.row('sessions', { id: workSessionId })
  return row?.parent_session_id != null && row.ended_at === null
}
