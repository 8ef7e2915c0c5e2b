/**
 * What an agent should do next: the only loop it needs (NA1). Pure: says also what its answer makes true (`ends`), and the
 * caller writes that in the same commit, before the answer leaves.
 */

import { type Instant, later } from '../instant.ts'
import { durationMs } from '../projects/duration.ts'
import type { ProjectSettings } from '../projects/settings.ts'
import * as instruction from './instruction.ts'
import type { AgentSession, EndReason } from './lifecycle.ts'

export interface ChatFacts {
  readonly purpose: 'chat'
  /** Unread messages that this agent session was not handed yet. */
  readonly undelivered: number
  /** Handed to this agent session and not answered; they stay unread until they are (NA7). */
  readonly unanswered: number
  /** The conversation whose summary is due (NA9), and the number it would have to cover. */
  readonly summaryDue: { readonly conversationKey: string; readonly throughSeq: number } | null
  /** It can hold only one conversation, and another's messages are next. */
  readonly makesRoom: boolean
  /** CX9: what waits for it begins when another conversation's turn in the same folder has ended. */
  readonly waitsForFolder: boolean
  /** The oldest undecided approval that this agent session asked for. */
  readonly approvalId: number | null
  /** When the last approval that this agent session asked for was decided. */
  readonly approvalDecidedAt: Instant | null
}

export interface TaskFacts {
  readonly purpose: 'task'
  readonly approvalId: number | null
  /** Its work session is a resumed one whose context was not handed over yet. */
  readonly resumes: boolean
  readonly taskId: string | null
}

export interface Patience {
  readonly settings: ProjectSettings
  /** The longest call the agent's client can hold, from the agent's entry. */
  readonly holdSeconds: number
}

export type ExitReason = 'session_closed' | Exclude<EndReason, 'closed'>

type Told<Fields> = Readonly<Fields & { instruction: string }>

/** `ends`: the reason with which the agent session must be ended in the same commit; null when it has ended before. */
export type NextAction =
  | Told<{ action: 'get_pending_messages'; state: 'chat_pending' }>
  | Told<{ action: 'summarize_conversation'; state: 'summary_due'; conversationKey: string; throughSeq: number }>
  | Told<{ action: 'wait_for_approval'; state: 'approval_pending'; approvalId: number; waitSeconds: number }>
  | Told<{
      action: 'wait_for_messages'
      state: 'chat_waiting'
      waitSeconds: number
      idleTimeoutMinutes: number
      /** When the answer changes by itself (NA4); a held call must not sleep past it. */
      timesOutAt: Instant
    }>
  | Told<{ action: 'resume_work'; state: 'task_resuming' }>
  | Told<{ action: 'work_on_task'; state: 'task_ready'; taskId: string }>
  | Told<{
      action: 'exit'
      state: 'session_closed' | 'chat_timeout' | 'task_done'
      reason: ExitReason
      ends: 'closed' | 'timeout' | 'work_done' | 'other_conversation' | null
    }>

export function nextAction(
  now: Instant,
  agentSession: AgentSession,
  facts: ChatFacts | TaskFacts,
  patience: Patience,
): NextAction {
  // AS8: an exit whose answer was lost can be had again, with the same reason.
  if (agentSession.state === 'ended') return exit(agentSession.endReason, null)
  // NA5: before anything else, also before what is unread; the next process serves that. What it has in hand it keeps.
  if (agentSession.state === 'terminating') {
    const inHand = facts.purpose === 'chat' ? facts.unanswered : 0
    return inHand > 0 ? pendingMessages(inHand) : exit('closed', 'closed')
  }
  return facts.purpose === 'chat'
    ? nextInChat(now, facts.waitsForFolder ? now : idleSince(agentSession, facts), facts, patience)
    : nextInTask(facts, patience)
}

/** NA4, and AP3: who waited an hour for a decision has not been idle, and is given time to act on it. */
function idleSince({ lastAnswerAt, createdAt }: AgentSession, { approvalDecidedAt }: ChatFacts): Instant {
  const sinceAnswer = lastAnswerAt ?? createdAt
  return approvalDecidedAt !== null && approvalDecidedAt > sinceAnswer ? approvalDecidedAt : sinceAnswer
}

/**
 * NA2: unread, summary due, timeout, wait. An approval that is waited for comes before the timeout, or the agent would be
 * sent away while a person thinks (AP3); and before messages it has been handed already, or it could never wait with them
 * unanswered. What it was not handed yet still comes first.
 */
function nextInChat(now: Instant, since: Instant, facts: ChatFacts, patience: Patience): NextAction {
  const { undelivered, unanswered, summaryDue, approvalId, makesRoom } = facts
  if (undelivered > 0) return pendingMessages(undelivered + unanswered)
  if (unanswered > 0) return approvalId === null ? pendingMessages(unanswered) : awaitApproval(approvalId, patience)
  if (makesRoom) return exit('other_conversation', 'other_conversation')
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

/** NA11. No timeouts: a build may take hours. */
function nextInTask({ approvalId, resumes, taskId }: TaskFacts, patience: Patience): NextAction {
  if (approvalId !== null) return awaitApproval(approvalId, patience)
  if (resumes) return { action: 'resume_work', state: 'task_resuming', instruction: instruction.resumeWork }
  if (taskId !== null) return { action: 'work_on_task', state: 'task_ready', taskId, instruction: instruction.workOnTask(taskId) }
  return exit('work_done', 'work_done')
}

/**
 * NA3: how long a call may be held before it is answered as it is: as long as the caller asked for, at most what its client
 * can bear, and never past the moment the answer changes by itself. `undefined`: answer at once.
 */
export function heldUntil(
  now: Instant,
  next: NextAction,
  requestedSeconds: number,
  { holdSeconds }: Patience,
): Instant | undefined {
  if (next.action !== 'wait_for_messages' && next.action !== 'wait_for_approval') return undefined
  const asLongAsAllowed = later(now, Math.min(requestedSeconds, holdSeconds) * 1000)
  if (asLongAsAllowed <= now) return undefined
  return next.action === 'wait_for_messages' && next.timesOutAt < asLongAsAllowed ? next.timesOutAt : asLongAsAllowed
}

const waitSecondsOf = ({ settings }: Patience): number => Number(settings['chat.wait_interval_seconds'])

const pendingMessages = (count: number): NextAction => ({
  action: 'get_pending_messages',
  state: 'chat_pending',
  instruction: instruction.getPendingMessages(count),
})

function awaitApproval(approvalId: number, patience: Patience): NextAction {
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
      return { action: 'exit', state: 'chat_timeout', reason: because, ends, instruction: instruction.exitBecause.timeout }
    case 'work_done':
      return { action: 'exit', state: 'task_done', reason: because, ends, instruction: instruction.exitBecause.work_done }
    case 'closed':
      return {
        action: 'exit',
        state: 'session_closed',
        reason: 'session_closed',
        ends,
        instruction: instruction.exitBecause.session_closed,
      }
    default:
      return { action: 'exit', state: 'session_closed', reason: because, ends, instruction: instruction.exitBecause.ended }
  }
}
