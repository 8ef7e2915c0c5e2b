/**
 * Derives what an agent that pulls its work does next (NA1), from its messages, tasks and
 * decisions. It only reads.
 */
import type { AgentSession } from '../../../domain/agent-sessions/lifecycle.ts'
import {
  type ChatFacts,
  type NextAction,
  nextAction,
  type TaskFacts,
  type WaitSettings,
} from '../../../domain/agent-sessions/next-action.ts'
import type { AgentDecision } from '../../../domain/approvals/decision-for-agent.ts'
import { isWork } from '../../../domain/conversations/key.ts'
import { isSummaryDue } from '../../../domain/conversations/messages.ts'
import type { Instant } from '../../../domain/instant.ts'
import { durationMs, type ProjectSettings } from '../../../domain/projects/settings.ts'
import { chooseDispatch } from '../../../domain/turns/lifecycle.ts'
import {
  type AgentSessionRow,
  type AgentSessionState,
  agentSessionFrom,
  type ChatState,
  chatState,
  selectAgentSessionState,
} from '../../../store/agent-sessions/agent-sessions.ts'
import { chatOfPost } from '../../../store/conversations/conversation-identity.ts'
import { selectLastMessage } from '../../../store/conversations/messages.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import type { Reader } from '../../../store/store.ts'
import { selectContextsOfLaunch } from '../../../store/turns/contexts.ts'
import { queuedChats, selectRunningOfSession } from '../../../store/turns/turns.ts'
import { selectNextTaskIn, selectTaskAtHand, type TaskRow } from '../../../store/work/tasks.ts'
import { checkedOwn } from '../../agent-sessions/agent-session-record.ts'
import { awaitedApproval, decisionsAt } from '../../approvals/decisions-for-agents.ts'
import { startableChats } from '../../conversations/conversation-workplace.ts'
import { settingsFrom } from '../../projects/project-record.ts'
import { contextFacts } from '../../turns/context-record.ts'

// Loads the facts and decides an agent session's next step (NA1), for `find-next-action` and
// `take-next-action`.

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
  const { lane } = row
  const key = row.bound_key ?? (await chatOfPost(reader, { ...caller, lane }))
  const found = await chatState(reader, caller, { lane, key })
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

/**
 * The chats waiting for a pulling agent. It holds one conversation; others are for another process.
 */
async function waitingChats(
  reader: Reader,
  { agentId, projectId, agentSessionId }: AgentCaller,
  row: AgentSessionState,
) {
  const post = { agentId, projectId, lane: row.lane }
  const waiting = await queuedChats(reader, post)
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
  const free = await startableChats(reader, post)
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

/**
 * Finds a conversation that needs a summary: the one the session holds, or any context of its
 * process.
 */
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
    if (origin_key !== '') continue
    const row = await reader.row('conversations', { key: conversation_key })
    if (row && !isWork(row.kind) && isDue(row, settings))
      return wholeConversation(reader, conversation_key)
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
