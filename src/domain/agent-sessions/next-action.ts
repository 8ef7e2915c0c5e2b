/**
 * Decides an agent's next action, the only loop it needs (NA1). Pure. `ends` is a consequence that the caller writes in the same
 * commit, before it answers.
 */

import { type Instant, later } from '../instant.ts'
import { durationMs } from '../projects/duration.ts'
import type { ProjectSettings } from '../projects/settings.ts'
import * as instruction from './instruction.ts'
import type { AgentSession, EndReason } from './lifecycle.ts'

export interface ChatFacts {
  readonly purpose: 'chat'
  /** Unread messages not yet delivered to this agent session. */
  readonly undelivered: number
  /** Delivered to this agent session and not answered; they stay unread until they are (NA7). */
  readonly unanswered: number
  /** The conversation whose summary is due (NA9), and the last message to cover. */
  readonly summaryDue: { readonly conversationKey: string; readonly throughSeq: number } | null
  /** The agent can hold only one conversation, and another's messages are next. */
  readonly yieldsConversation: boolean
  /** CX9: its messages wait for another conversation's turn in the same folder. */
  readonly waitsForFolder: boolean
  /** The oldest undecided approval of this agent session. */
  readonly approvalId: number | null
  /** When the last approval of this agent session was decided. */
  readonly approvalDecidedAt: Instant | null
}

export interface TaskFacts {
  readonly purpose: 'task'
  readonly approvalId: number | null
  /** The work session is a resumed one whose context was not delivered yet. */
  readonly resumes: boolean
  readonly taskId: string | null
}

export interface WaitSettings {
  readonly settings: ProjectSettings
  /** The longest call the agent's client can hold, from the agent's entry. */
  readonly holdSeconds: number
}

export type ExitReason = 'session_closed' | Exclude<EndReason, 'closed'>

type Instructed<Fields> = Readonly<Fields & { instruction: string }>

/** `ends`: the reason to end the agent session with in the same commit; null when it has ended before. */
export type NextAction =
  | Instructed<{ action: 'get_pending_messages'; state: 'chat_pending' }>
  | Instructed<{ action: 'summarize_conversation'; state: 'summary_due'; conversationKey: string; throughSeq: number }>
  | Instructed<{ action: 'wait_for_approval'; state: 'approval_pending'; approvalId: number; waitSeconds: number }>
  | Instructed<{
      action: 'wait_for_messages'
      state: 'chat_waiting'
      waitSeconds: number
      idleTimeoutMinutes: number
      /** When the answer changes by itself (NA4). A held call must return by then. */
      timesOutAt: Instant
    }>
  | Instructed<{ action: 'resume_work'; state: 'task_resuming' }>
  | Instructed<{ action: 'work_on_task'; state: 'task_ready'; taskId: string }>
  | Instructed<{
      action: 'exit'
      state: 'session_closed' | 'chat_timeout' | 'task_done'
      reason: ExitReason
      ends: 'closed' | 'timeout' | 'work_done' | 'other_conversation' | null
    }>

export function nextAction(
  now: Instant,
  agentSession: AgentSession,
  facts: ChatFacts | TaskFacts,
  patience: WaitSettings,
): NextAction {
  // AS8: repeats the exit and its reason, in case the first answer was lost.
  if (agentSession.state === 'ended') return exit(agentSession.endReason, null)
  // NA5: before unread messages, which the next process serves. Delivered ones are still answered.
  if (agentSession.state === 'terminating') {
    const unanswered = facts.purpose === 'chat' ? facts.unanswered : 0
    return unanswered > 0 ? pendingMessages(unanswered) : exit('closed', 'closed')
  }
  return facts.purpose === 'chat'
    ? nextInChat(now, facts.waitsForFolder ? now : idleSince(agentSession, facts), facts, patience)
    : nextInTask(facts, patience)
}

/** NA4, AP3: waiting for a decision is not idling, so the timeout starts over when it comes. */
function idleSince({ lastAnswerAt, createdAt }: AgentSession, { approvalDecidedAt }: ChatFacts): Instant {
  const sinceAnswer = lastAnswerAt ?? createdAt
  return approvalDecidedAt !== null && approvalDecidedAt > sinceAnswer ? approvalDecidedAt : sinceAnswer
}

/**
 * NA2: unread messages, due summary, timeout, wait. A pending approval comes before the timeout, so that the agent is not ended
 * while a person decides (AP3), and before delivered messages, so that it can wait with them unanswered. Undelivered messages
 * still come first.
 */
function nextInChat(now: Instant, since: Instant, facts: ChatFacts, patience: WaitSettings): NextAction {
  const { undelivered, unanswered, summaryDue, approvalId, yieldsConversation } = facts
  if (undelivered > 0) return pendingMessages(undelivered + unanswered)
  if (unanswered > 0) return approvalId === null ? pendingMessages(unanswered) : awaitApproval(approvalId, patience)
  if (yieldsConversation) return exit('other_conversation', 'other_conversation')
  if (summaryDue !== null && !facts.waitsForFolder) {
    const told = instruction.summarizeConversation(summaryDue.throughSeq)
    return { action: 'summarize_conversation', state: 'summary_due', ...summaryDue, instruction: told }
  }
  if (approvalId !== null) return awaitApproval(approvalId, patience)
  const timesOutAt = later(since, durationMs(patience.settings, 'chat.soft_timeout_minutes'))
  if (now >= timesOutAt) return exit('timeout', 'timeout')
  const waitSeconds = waitSecondsOf(patience)
  return {
    action: 'wait_for_messages',
    state: 'chat_waiting',
    waitSeconds,
    idleTimeoutMinutes: Number(patience.settings['chat.soft_timeout_minutes']),
    timesOutAt,
    instruction: instruction.waitForMessages(patience.holdSeconds, waitSeconds),
  }
}

/** NA11: no timeouts, because a build may take hours. */
function nextInTask({ approvalId, resumes, taskId }: TaskFacts, patience: WaitSettings): NextAction {
  if (approvalId !== null) return awaitApproval(approvalId, patience)
  if (resumes) return { action: 'resume_work', state: 'task_resuming', instruction: instruction.resumeWork }
  if (taskId !== null) return { action: 'work_on_task', state: 'task_ready', taskId, instruction: instruction.workOnTask(taskId) }
  return exit('work_done', 'work_done')
}

/**
 * NA3: returns until when a call may be held: as long as requested, at most what the client can hold, and not past the time the
 * answer changes by itself. Undefined: answer at once.
 */
export function heldUntil(
  now: Instant,
  next: NextAction,
  requestedSeconds: number,
  { holdSeconds }: WaitSettings,
): Instant | undefined {
  if (next.action !== 'wait_for_messages' && next.action !== 'wait_for_approval') return undefined
  const latest = later(now, Math.min(requestedSeconds, holdSeconds) * 1000)
  if (latest <= now) return undefined
  return next.action === 'wait_for_messages' && next.timesOutAt < latest ? next.timesOutAt : latest
}

const waitSecondsOf = ({ settings }: WaitSettings): number => Number(settings['chat.wait_interval_seconds'])

const pendingMessages = (count: number): NextAction => ({
  action: 'get_pending_messages',
  state: 'chat_pending',
  instruction: instruction.getPendingMessages(count),
})

function awaitApproval(approvalId: number, patience: WaitSettings): NextAction {
  const waitSeconds = waitSecondsOf(patience)
  return {
    action: 'wait_for_approval',
    state: 'approval_pending',
    approvalId,
    waitSeconds,
    instruction: instruction.waitForApproval(approvalId, patience.holdSeconds, waitSeconds),
  }
}

function exit(because: EndReason, ends: Extract<NextAction, { action: 'exit' }>['ends']): NextAction {
  switch (because) {
    case 'timeout':
      return { action: 'exit', state: 'chat_timeout', reason: because, ends, instruction: instruction.exitInstructions.timeout }
    case 'work_done':
      return { action: 'exit', state: 'task_done', reason: because, ends, instruction: instruction.exitInstructions.work_done }
    case 'closed':
      return {
        action: 'exit',
        state: 'session_closed',
        reason: 'session_closed',
        ends,
        instruction: instruction.exitInstructions.session_closed,
      }
    default:
      return { action: 'exit', state: 'session_closed', reason: because, ends, instruction: instruction.exitInstructions.ended }
  }
}
