/**
 * Posts what an agent wrote in a chat, and marks the messages of its turn as read (NA7, CH12), for
 * pulling agents and for those that are prompted alike.
 */

import { isWork } from '../../../domain/conversations/key.ts'
import { type Detail, noticeOf, textOf } from '../../../domain/notices.ts'
import { conversationStream } from '../../../domain/stream-name.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import { identityOf, otherAgent } from '../../../store/conversations/conversation-identity.ts'
import { type AgentCaller, messagesOfTurn } from '../../../store/conversations/unread.ts'
import type { Context, Tx } from '../../../store/store.ts'
import type { TurnRow } from '../../../store/turns/turns.ts'
import {
  closeDueChapterOf,
  conversationOfTurn,
  openConversation,
} from '../../conversations/conversation-record.ts'
import { lockTurn } from '../../turns/move-turn.ts'
import { storeAnswer } from '../work/work-conversation.ts'
import { appendMessage } from './append-message.ts'
import { postToAgent } from './post-to-agent.ts'

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
  const text = textOf(content)
  if (toAgentId !== undefined) {
    const origin = turn?.origin_key ?? ''
    return postToAgent(
      tx,
      caller,
      { toAgentId, content: text, clientId: turn?.id, originKey: origin, intoKey: origin },
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
    content: text,
    notice,
    clientId: turn?.id,
  } as const
  return appendMessage(tx, row, message, context, { readers: [] })
}

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
    for (const seq of seqs)
      await tx.update('messages', { conversation_key: key, seq, turn_id: turn.id })
    const isHere = key === turn.conversation_key || turn.origin_key !== ''
    const data = { agentId: turn.agent_id, seqs, answerSeq: isHere ? answerSeq : null }
    tx.append(conversationStream(key), { type: 'messages-read', data })
    await closeDueChapterOf(tx, key, context.now)
  }
  return messages
}
