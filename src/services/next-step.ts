/**
 * What an agent session should do next, with everything that goes with it (NA1). Loads and decides; `find-next-action` reads it,
 * `take-next-action` makes true what it says.
 */
import type { AgentSession } from '../domain/agent-session/lifecycle.ts'
import {
  type ChatFacts,
  type NextAction,
  nextAction,
  type Patience,
  type TaskFacts,
} from '../domain/agent-session/next-action.ts'
import { webKey } from '../domain/conversation/key.ts'
import { isSummaryDue } from '../domain/conversation/summary.ts'
import type { Instant } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import type { ProjectSettings } from '../domain/project/settings.ts'
import { type AgentSessionRow, agentSessionFrom } from '../store/queries/agent-sessions.ts'
import { selectAgent } from '../store/queries/agents.ts'
import { selectConversation } from '../store/queries/conversations.ts'
import { selectLastMessage } from '../store/queries/messages.ts'
import { selectTaskAtHand, type TaskRow } from '../store/queries/tasks.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { heldOf, selectAwaitedApproval, selectLastDecision, unreadOf } from '../store/queries/work-at-hand.ts'
import { selectWorkSession } from '../store/queries/work-sessions.ts'
import type { Reader } from '../store/store.ts'
import { ownRow } from './live-agent-session.ts'
import { settingsOf } from './project-settings.ts'

/** For an agent that is gone; its sessions end soon. */
const holdSecondsOfNobody = 1

export interface Step {
  readonly agentSession: AgentSession
  readonly patience: Patience
  readonly next: NextAction
  /** What it is to work on, when it is. */
  readonly task: TaskRow | undefined
  /** A work session that it has not driven before, and does from now on. */
  readonly takesUp: string | null
  /** The task is in no work session; it is put into one now (WK4). */
  readonly places: boolean
  /** The resumed work session whose context it is handed now. */
  readonly resumes: string | null
}

export async function nextStep(reader: Reader, caller: Receiver, now: Instant): Promise<Step> {
  const row = await ownRow(reader, caller)
  const agentSession = agentSessionFrom(row)
  const settings = await settingsOf(reader, caller.projectId)
  const agent = await reader.first(selectAgent, { id: caller.agentId })
  const patience = { settings, holdSeconds: holdSecondsWithin(settings, agent?.hold_seconds ?? holdSecondsOfNobody) }
  const decided = (facts: ChatFacts | TaskFacts) => nextAction(now, agentSession, facts, patience)
  if (agentSession.purpose === 'chat') {
    const next = decided(await chatFacts(reader, caller, settings))
    return { agentSession, patience, next, task: undefined, takesUp: null, places: false, resumes: null }
  }
  const { task, workSessionId, ...facts } = await taskFacts(reader, caller, row)
  const next = decided(facts)
  return {
    agentSession,
    patience,
    next,
    task: next.action === 'work_on_task' ? task : undefined,
    takesUp: next.action !== 'exit' && workSessionId !== row.work_session_id ? workSessionId : null,
    places: next.action === 'work_on_task' && task?.session_id === null,
    resumes: next.action === 'resume_work' ? workSessionId : null,
  }
}

/** AS6: whoever waits in a call must be back before its session expires. */
const holdSecondsWithin = (settings: ProjectSettings, holdSeconds: number): number =>
  Math.max(1, Math.min(holdSeconds, Math.floor(durationMs(settings, 'agent_session.ttl_minutes') / 2000)))

async function chatFacts(reader: Reader, caller: Receiver, settings: ProjectSettings): Promise<ChatFacts> {
  const { agentSessionId } = caller
  const unanswered = await heldOf(reader, caller)
  return {
    purpose: 'chat',
    undelivered: (await unreadOf(reader, caller)) - unanswered,
    unanswered,
    summaryDueThrough: await summaryDueThrough(reader, caller, settings),
    approvalId: (await reader.first(selectAwaitedApproval, { agentSessionId }))?.id ?? null,
    approvalDecidedAt: (await reader.first(selectLastDecision, { agentSessionId }))?.resolved_at ?? null,
  }
}

/** NA9. It is asked for only when nothing is unread, so a summary can cover everything that was said. */
async function summaryDueThrough(reader: Reader, { projectId, agentId }: Receiver, settings: ProjectSettings) {
  const key = webKey(projectId, agentId)
  const row = await reader.first(selectConversation, { key })
  const summarised = row && {
    summary: row.summary,
    summaryThrough: row.summary_through,
    keptAfter: row.kept_after,
    unsummarisedChars: row.unsummarised_chars,
  }
  if (!summarised || !isSummaryDue(summarised, settings)) return null
  return (await reader.first(selectLastMessage, { key }))?.seq ?? null
}

async function taskFacts(reader: Reader, { agentId, projectId, agentSessionId }: Receiver, row: AgentSessionRow) {
  const task = await reader.first(selectTaskAtHand, { agentId, projectId, workSessionId: row.work_session_id })
  const workSessionId = task?.session_id ?? row.work_session_id
  const facts: TaskFacts = {
    purpose: 'task',
    approvalId: (await reader.first(selectAwaitedApproval, { agentSessionId }))?.id ?? null,
    resumes: workSessionId !== null && workSessionId !== row.resumed_work_session_id && (await isResumed(reader, workSessionId)),
    taskId: task?.id ?? null,
  }
  return { ...facts, task, workSessionId }
}

async function isResumed(reader: Reader, workSessionId: string): Promise<boolean> {
  const row = await reader.first(selectWorkSession, { id: workSessionId })
  return row?.parent_session_id != null && row.ended_at === null
}
