/**
 * Records a pulling agent's answer (NA7, `respond_chat`) as a message and marks the messages of its
 * turn as read. Messages that arrived later stay unread. An empty answer only marks messages as
 * read. A client id makes the call idempotent.
 */

import { afterActivity } from '../../../domain/agent-sessions/lifecycle.ts'
import { type ConversationIdentity, isChat } from '../../../domain/conversations/key.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import type { EndFiles } from '../../../protocol/turns/link.ts'
import { activityOf, type Pair } from '../../../store/agent-sessions/agent-sessions.ts'
import { chatOfPost, identityOf } from '../../../store/conversations/conversation-identity.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../../store/store.ts'
import { selectRunningOfSession, type TurnRow } from '../../../store/turns/turns.ts'
import { liveAgentSession } from '../../agent-sessions/agent-session-record.ts'
import { ownConversation } from '../../conversations/own-conversation.ts'
import { lockContext } from '../../turns/context-record.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { recordFiles } from '../../turns/turn-files.ts'
import { beginElsewhere } from '../turns/begin-turn.ts'
import { endTurn } from '../turns/end-turn.ts'
import { postAnswer } from './post-answer.ts'
import { runOnce } from './post-message.ts'

/** Whether a conversation is one that people have with this agent: a chat, or a fork of one. */
const isChatOf = (
  { kind, ...identity }: ConversationIdentity,
  { agentId, projectId }: Pair,
): boolean => isChat(kind) && identity.projectId === projectId && identity.agentId === agentId

interface Answer extends AgentCaller {
  readonly content: string
  readonly clientId?: string | undefined
  /** What its turn made of the files (FS7). */
  readonly files?: { readonly turnId: string; readonly after: EndFiles } | undefined
}

interface Answered {
  readonly messageId: string | null
  readonly seq: number | null
  /** Ids of the messages that are read now. */
  readonly answered: readonly string[]
}

/** The turn that an agent session is running. There is at most one. */
const runningTurn = (
  reader: Reader,
  { agentSessionId }: AgentCaller,
): Promise<TurnRow | undefined> => reader.first(selectRunningOfSession, { agentSessionId })

/** The chat with people that the agent is in. */
async function chatOf(tx: Tx, caller: AgentCaller): Promise<string> {
  const { key } = await ownConversation(tx, caller)
  await lockContext(tx, key)
  if (isChatOf(await identityOf(tx, key), caller)) return key
  const agentSession = await tx.row('agent_sessions', { id: caller.agentSessionId })
  return chatOfPost(tx, { ...caller, lane: agentSession?.lane ?? '' })
}

export const answerChat = defineUseCase('answer-chat', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: Answer) => [projectStream(projectId)],
  // Most answers go where the one before went.
  lockCacheKey: ({ agentSessionId }) => agentSessionId,
  run: (tx, input, context): Promise<Answered> =>
    runOnce(
      tx,
      { ...input, callerId: input.agentSessionId, operation: 'answer-chat' },
      context.now,
      () => postChatAnswer(tx, input, context),
    ),
})

/**
 * SE3: the answer goes to the conversation of the running turn, or else into the agent's chat with
 * the project's people.
 */
async function postChatAnswer(tx: Tx, input: Answer, context: Context): Promise<Answered> {
  const { content, files } = input
  const agentSession = await liveAgentSession(tx, input)
  await tx.update('agent_sessions', activityOf(afterActivity(context.now, agentSession, 'answer')))
  const turn = await runningTurn(tx, input)
  if (!turn) {
    const key = await chatOf(tx, input)
    const message = await postAnswer(tx, input, { content, key }, context)
    return { messageId: message?.id ?? null, seq: message?.seq ?? null, answered: [] }
  }
  lockTurn(tx, turn)
  if (files?.turnId === turn.id) await recordFiles(tx, turn.id, files)
  const event = { type: 'answer', hasText: content !== '' } as const
  const { message, read } = await endTurn(tx, turn, event, { answer: content }, context)
  await beginElsewhere(tx, turn.project_id, context)
  return {
    messageId: message?.id ?? null,
    seq: message?.seq ?? null,
    answered: read.map(({ id }) => id),
  }
}
