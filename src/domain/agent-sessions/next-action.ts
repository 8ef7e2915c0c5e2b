/**
 * Decides an agent's next action, the only loop it needs (NA1). Pure. The caller writes `ends`
 * before it answers.
 */

import { maxSummaryChars } from '../conversations/messages.ts'
import { type Instant, later } from '../instant.ts'
import { durationMs, type ProjectSettings } from '../projects/settings.ts'
import type { AgentSession, EndReason, Purpose } from './lifecycle.ts'

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

/**
 * `ends`: the reason to end the agent session with in the same commit; null when it has ended
 * before.
 */
export type NextAction =
  | Instructed<{ action: 'get_pending_messages'; state: 'chat_pending' }>
  | Instructed<{
      action: 'summarize_conversation'
      state: 'summary_due'
      conversationKey: string
      throughSeq: number
    }>
  | Instructed<{
      action: 'wait_for_approval'
      state: 'approval_pending'
      approvalId: number
      waitSeconds: number
    }>
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
function idleSince(
  { lastAnswerAt, createdAt }: AgentSession,
  { approvalDecidedAt }: ChatFacts,
): Instant {
  const sinceAnswer = lastAnswerAt ?? createdAt
  return approvalDecidedAt !== null && approvalDecidedAt > sinceAnswer
    ? approvalDecidedAt
    : sinceAnswer
}

/**
 * NA2: unread messages, due summary, timeout, wait. A pending approval comes before the timeout, so
 * that the agent is not ended while a person decides (AP3), and before delivered messages, so that
 * it can wait with them unanswered. Undelivered messages still come first.
 */
function nextInChat(
  now: Instant,
  since: Instant,
  facts: ChatFacts,
  patience: WaitSettings,
): NextAction {
  const { undelivered, unanswered, summaryDue, approvalId, yieldsConversation } = facts
  if (undelivered > 0) return pendingMessages(undelivered + unanswered)
  if (unanswered > 0)
    return approvalId === null ? pendingMessages(unanswered) : awaitApproval(approvalId, patience)
  if (yieldsConversation) return exit('other_conversation', 'other_conversation')
  if (summaryDue !== null && !facts.waitsForFolder) {
    const sentence = summarizeConversation(summaryDue.throughSeq)
    return {
      action: 'summarize_conversation',
      state: 'summary_due',
      ...summaryDue,
      instruction: sentence,
    }
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
    instruction: waitForMessages(patience.holdSeconds, waitSeconds),
  }
}

/** NA11: no timeouts, because a build may take hours. */
function nextInTask(
  { approvalId, resumes, taskId }: TaskFacts,
  patience: WaitSettings,
): NextAction {
  if (approvalId !== null) return awaitApproval(approvalId, patience)
  if (resumes) return { action: 'resume_work', state: 'task_resuming', instruction: resumeWork }
  if (taskId !== null)
    return { action: 'work_on_task', state: 'task_ready', taskId, instruction: workOnTask(taskId) }
  return exit('work_done', 'work_done')
}

/**
 * NA3: returns until when a call may be held: as long as requested, at most what the client can
 * hold, and not past the time the answer changes by itself. Undefined: answer at once.
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

const waitSecondsOf = ({ settings }: WaitSettings): number =>
  Number(settings['chat.wait_interval_seconds'])

const pendingMessages = (count: number): NextAction => ({
  action: 'get_pending_messages',
  state: 'chat_pending',
  instruction: getPendingMessages(count),
})

function awaitApproval(approvalId: number, patience: WaitSettings): NextAction {
  const waitSeconds = waitSecondsOf(patience)
  return {
    action: 'wait_for_approval',
    state: 'approval_pending',
    approvalId,
    waitSeconds,
    instruction: waitForApproval(approvalId, patience.holdSeconds, waitSeconds),
  }
}

function exit(
  because: EndReason,
  ends: Extract<NextAction, { action: 'exit' }>['ends'],
): NextAction {
  switch (because) {
    case 'timeout':
      return {
        action: 'exit',
        state: 'chat_timeout',
        reason: because,
        ends,
        instruction: exitInstructions.timeout,
      }
    case 'work_done':
      return {
        action: 'exit',
        state: 'task_done',
        reason: because,
        ends,
        instruction: exitInstructions.work_done,
      }
    case 'closed':
      return {
        action: 'exit',
        state: 'session_closed',
        reason: 'session_closed',
        ends,
        instruction: exitInstructions.session_closed,
      }
    default:
      return {
        action: 'exit',
        state: 'session_closed',
        reason: because,
        ends,
        instruction: exitInstructions.ended,
      }
  }
}

// Instructions, in sentences that a language model can follow without other documentation (NA1).
// They contain no secrets and no text of people or other agents, which comes in fields of its own.

const thenCallAgain = 'Then call get_next_action again.'

const messages = (count: number): string => (count === 1 ? '1 message is' : `${count} messages are`)

/** NA3: always the longest wait, because each call of a polling agent is a paid model call. */
const waitInstruction = (holdSeconds: number, intervalSeconds: number): string =>
  `Call get_next_action now with wait_seconds: ${holdSeconds}; the server holds the call and answers the moment something ` +
  `arrives. Only if your client cannot hold a call that long, wait ${intervalSeconds} seconds and call it without wait_seconds.`

export const afterAuthentication = (purpose: Purpose): string =>
  `You are signed in for ${purpose === 'chat' ? 'a chat' : 'work on a task'}. Call get_next_action now and do what its ` +
  'instruction says, again and again, until the action is exit. Send session_token with every call, unless your connection ' +
  'carries a credential of your own.'

const getPendingMessages = (count: number): string =>
  `${messages(count)} waiting for your answer. Call get_pending_messages, read them all, and answer them with one ` +
  `respond_chat (with empty content if no answer is needed). ${thenCallAgain}`

const waitForMessages = (holdSeconds: number, intervalSeconds: number): string =>
  `No message is waiting. Do not write anything and do not exit. ${waitInstruction(holdSeconds, intervalSeconds)}`

const waitForApproval = (
  approvalId: number,
  holdSeconds: number,
  intervalSeconds: number,
): string =>
  `A person has not yet decided about approval ${approvalId}. Do nothing that needs it. ` +
  `${waitInstruction(holdSeconds, intervalSeconds)} Once the action changes, read the decision with get_approval.`

const summarizeConversation = (throughSeq: number): string =>
  'This conversation has grown long. Write a summary that can stand for all of it, the earlier summary included: what was ' +
  'asked, decided and done, what is open, and every name, number and path that will be needed. ' +
  `Call set_summary with it, at most ${maxSummaryChars} characters, and through_seq: ${throughSeq}. ${thenCallAgain}`

const resumeWork =
  'This work was begun before and interrupted. Read resume_context: it says what was done, what failed and must not be tried ' +
  'again, what worked, and what remains. Do not try again what is marked avoid. Take up the work where it stopped; ' +
  `get_resume_context gives you all of it again. ${thenCallAgain}`

const workOnTask = (taskId: string): string =>
  `Work on task ${taskId}, which is in \`task\`. Report how far you are with update_task (progress_percent, 0 to 100); when it is ` +
  'done, set its status to completed with the result, or to failed with the reason. Whenever something you tried has worked or ' +
  'failed, call record_approach, and before a long or risky step call save_checkpoint with context_summary: should you be ' +
  `interrupted, whoever goes on knows. If a person must decide something, call request_approval. What people have decided is in ` +
  '`decisions`: heed its feedback; what was sent back (revision_requested) you submit again with its approval_id. ' +
  thenCallAgain

const exitInstructions = {
  session_closed:
    'This session was closed. Stop: call no other tool, write nothing more, and exit now.',
  timeout:
    'Nobody has written for a while, so this session has ended. Call no other tool and exit now.',
  work_done: 'No task is left for you here. Call no other tool and exit now.',
  ended: 'This session has ended, `reason` says why. Call no other tool and exit now.',
} as const
