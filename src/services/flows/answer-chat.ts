/**
 * Records a pulling agent's answer (NA7, `respond_chat`) as a message and marks the messages of its
 * turn as read. Messages that arrived later stay unread. An empty answer only marks messages as
 * read. A client id makes the call idempotent.
 */

import { afterActivity } from '../../domain/agent-sessions/lifecycle.ts'
import { type ConversationIdentity, isWork, webKey } from '../../domain/conversations/key.ts'
import { type Detail, noticeOf, textOf } from '../../domain/notices.ts'
import { conversationStream, projectStream } from '../../domain/stream-name.ts'
import type { Message } from '../../protocol/conversations/message.ts'
import { activityOf, type Pair } from '../../store/agent-sessions/agent-sessions.ts'
import { identityOf } from '../../store/conversations/conversation-identity.ts'
import { type AgentCaller, messagesOfTurn } from '../../store/conversations/unread.ts'
import { type Context, defineUseCase, type Reader, type Tx } from '../../store/store.ts'
import { selectRunningOfSession, type TurnRow } from '../../store/turns/turns.ts'
import { liveAgentSession } from '../agent-sessions/agent-session-record.ts'
import {
  closeDueChapterOf,
  conversationOfTurn,
  openConversation,
} from '../conversations/conversation-record.ts'
import { ownConversation } from '../conversations/own-conversation.ts'
import { lockContext } from '../turns/context-record.ts'
import { lockTurn, moveTurn } from '../turns/move-turn.ts'
import { appendMessage } from './append-message.ts'
import { otherAgent, postToAgent, runOnce } from './post-message.ts'
import { storeAnswer } from './work-conversation.ts'

interface AnswerPost {
  readonly content: Detail
  /** The turn being answered. Undefined when the agent writes on its own initiative. */
  readonly turn?: TurnRow | undefined
  readonly key: string
}

/**
 * Posts what an agent wrote in a chat, for pulling and ACP agents alike (NA7, CH12). An answer to
 * another agent goes into the context that asked. Returns undefined when there is no text or the
 * text belongs to a work conversation.
 */
export async function postAnswer(
  tx: Tx,
  caller: AgentCaller,
  { content, turn, key }: AnswerPost,
  context: Context,
): Promise<Message | undefined> {
  const { agentId } = caller
  const identity = await identityOf(tx, key)
  const toAgentId = otherAgent(identity, agentId)
  if (content === '') return undefined
  const said = textOf(content)
  if (toAgentId !== undefined) {
    const origin = turn?.origin_key ?? ''
    return postToAgent(
      tx,
      caller,
      { toAgentId, content: said, clientId: turn?.id, originKey: origin, intoKey: origin },
      context,
    )
  }
  if (turn && isWork(identity.kind)) {
    await storeAnswer(tx, turn, content, context)
    return undefined
  }
  const row = turn
    ? await conversationOfTurn(tx, key, context.now)
    : (await openConversation(tx, key, context.now)).row
  const notice = noticeOf(content)
  const message = {
    senderId: agentId,
    receiverId: null,
    role: 'assistant',
    content: said,
    notice,
    clientId: turn?.id,
  } as const
  return appendMessage(tx, row, message, context, { readers: [] })
}

/** Whether a conversation is one that people have with this agent: a chat, or a fork of one. */
const isChatOf = (
  { kind, ...identity }: ConversationIdentity,
  { agentId, projectId }: Pair,
): boolean =>
  (kind === 'web' || kind === 'fork') &&
  identity.projectId === projectId &&
  identity.agentId === agentId

/** Marks exactly the messages of a turn as read. */
export async function markMessagesRead(
  tx: Tx,
  turn: TurnRow,
  answerSeq: number | null,
  context: Context,
): Promise<Message[]> {
  lockTurn(tx, turn)
  const messages = await messagesOfTurn(tx, turn.id)
  await tx.delete('unread_messages', { turn_id: turn.id })
  for (const [key, some] of Map.groupBy(messages, ({ conversationKey }) => conversationKey)) {
    const seqs = some.map(({ seq }) => seq)
    const isHere = key === turn.conversation_key || turn.origin_key !== ''
    const data = { agentId: turn.agent_id, seqs, answerSeq: isHere ? answerSeq : null }
    tx.append(conversationStream(key), { type: 'messages-read', data })
    await closeDueChapterOf(tx, key, context.now)
  }
  return messages
}

interface Answer extends AgentCaller {
  readonly content: string
  readonly clientId?: string | undefined
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
  return isChatOf(await identityOf(tx, key), caller)
    ? key
    : webKey(caller.projectId, caller.agentId)
}

export const answerChat = defineUseCase('answer-chat', {
  scope: 'agent',
  on: 'caller',
  streams: ({ projectId }: Answer) => [projectStream(projectId)],
  // Most answers go where the one before went.
  lockCacheKey: ({ agentSessionId }) => agentSessionId,
  run: (tx, input, context): Promise<Answered> =>
    runOnce(tx, { ...input, operation: 'answer-chat' }, context.now, () =>
      postChatAnswer(tx, input, context),
    ),
})

/**
 * SE3: the answer goes to the conversation of the running turn, or else into the agent's chat with
 * the project's people.
 */
async function postChatAnswer(tx: Tx, input: Answer, context: Context): Promise<Answered> {
  const { content } = input
  const { now } = context
  const agentSession = await liveAgentSession(tx, input)
  await tx.update('agent_sessions', activityOf(afterActivity(now, agentSession, 'answer')))
  const turn = await runningTurn(tx, input)
  if (turn) lockTurn(tx, turn)
  const key = turn?.conversation_key ?? (await chatOf(tx, input))
  const said = await postAnswer(tx, input, { content, turn, key }, context)
  if (!turn) return { messageId: said?.id ?? null, seq: said?.seq ?? null, answered: [] }
  await moveTurn(tx, turn, { type: 'answer', hasText: content !== '' }, now, { answer: content })
  const answered = await markMessagesRead(tx, turn, said?.seq ?? null, context)
  return {
    messageId: said?.id ?? null,
    seq: said?.seq ?? null,
    answered: answered.map(({ id }) => id),
  }
}
