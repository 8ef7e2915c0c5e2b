/**
 * Instructions for agents, in sentences that a language model can follow without other documentation (NA1). They contain no
 * secrets and no text of people or other agents, which comes in fields of its own.
 */
import { maxSummaryChars } from '../conversations/messages.ts'
import type { Purpose } from './lifecycle.ts'

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

export const getPendingMessages = (count: number): string =>
  `${messages(count)} waiting for your answer. Call get_pending_messages, read them all, and answer them with one ` +
  `respond_chat (with empty content if no answer is needed). ${thenCallAgain}`

export const waitForMessages = (holdSeconds: number, intervalSeconds: number): string =>
  `No message is waiting. Do not write anything and do not exit. ${waitInstruction(holdSeconds, intervalSeconds)}`

export const waitForApproval = (approvalId: number, holdSeconds: number, intervalSeconds: number): string =>
  `A person has not yet decided about approval ${approvalId}. Do nothing that needs it. ` +
  `${waitInstruction(holdSeconds, intervalSeconds)} Once the action changes, read the decision with get_approval.`

export const summarizeConversation = (throughSeq: number): string =>
  'This conversation has grown long. Write a summary that can stand for all of it, the earlier summary included: what was ' +
  'asked, decided and done, what is open, and every name, number and path that will be needed. ' +
  `Call set_summary with it, at most ${maxSummaryChars} characters, and through_seq: ${throughSeq}. ${thenCallAgain}`

export const resumeWork =
  'This work was begun before and interrupted. Read resume_context: it says what was done, what failed and must not be tried ' +
  'again, what worked, and what remains. Do not try again what is marked avoid. Take up the work where it stopped; ' +
  `get_resume_context gives you all of it again. ${thenCallAgain}`

export const workOnTask = (taskId: string): string =>
  `Work on task ${taskId}, which is in \`task\`. Report how far you are with update_task (progress_percent, 0 to 100); when it is ` +
  'done, set its status to completed with the result, or to failed with the reason. Whenever something you tried has worked or ' +
  'failed, call record_approach, and before a long or risky step call save_checkpoint with context_summary: should you be ' +
  `interrupted, whoever goes on knows. If a person must decide something, call request_approval. What people have decided is in ` +
  '`decisions`: heed its feedback; what was sent back (revision_requested) you submit again with its approval_id. ' +
  thenCallAgain

export const exitInstructions = {
  session_closed: 'This session was closed. Stop: call no other tool, write nothing more, and exit now.',
  timeout: 'Nobody has written for a while, so this session has ended. Call no other tool and exit now.',
  work_done: 'No task is left for you here. Call no other tool and exit now.',
  ended: 'This session has ended, `reason` says why. Call no other tool and exit now.',
} as const
