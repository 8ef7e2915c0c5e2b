/**
 * Posts a message between two agents of a project (CV10). Their conversation is open while a
 * session that wrote in it lives; the next message reopens it. Each message is also announced in
 * the project's stream, which waiting agents follow.
 */

import { agentKey } from '../../../domain/conversations/key.ts'
import { conversationStream, projectStream } from '../../../domain/stream-name.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import { insertOpenConversation } from '../../../store/conversations/conversations.ts'
import type { AgentCaller } from '../../../store/conversations/unread.ts'
import type { Context, Tx } from '../../../store/store.ts'
import {
  changeConversation,
  conversationOfTurn,
  openConversation,
} from '../../conversations/conversation-record.ts'
import { appendMessage } from './append-message.ts'

interface AgentMessage {
  readonly toAgentId: string
  readonly content: string
  /** CH12: the turn in which it was written. */
  readonly clientId?: string | undefined
  /** The conversation of the asking context. */
  readonly originKey: string
  /**
   * The context that receives an answer. Left out for a question, which gets a context of its own
   * for each origin.
   */
  readonly intoKey?: string | undefined
}

export async function postToAgent(
  tx: Tx,
  { agentId, projectId, agentSessionId }: AgentCaller,
  { toAgentId, content, clientId, originKey, intoKey }: AgentMessage,
  context: Context,
): Promise<Message> {
  const key = agentKey(agentId, toAgentId)
  // DC6: an answer is of the day of its question.
  const isAnswer = intoKey !== undefined && clientId !== undefined
  const row = isAnswer
    ? await conversationOfTurn(tx, key, context.now)
    : (await openConversation(tx, key, context.now)).row
  const open =
    row.state === 'open' ? row : await changeConversation(tx, row, { state: 'open' }, context.now)
  if (row.state === 'closed')
    tx.append(conversationStream(key), { type: 'conversation-reopened', data: { by: agentId } })
  await tx.write(insertOpenConversation, {
    agent_session_id: agentSessionId,
    conversation_key: key,
  })
  const message = {
    senderId: agentId,
    receiverId: toAgentId,
    role: 'assistant',
    content,
    projectId,
    clientId,
    originKey,
  } as const
  // An answer without a known origin goes into the conversation itself.
  const into = intoKey ? { key: intoKey, originKey: '' } : { key, originKey }
  return appendMessage(tx, open, message, context, {
    readers: [toAgentId],
    also: [projectStream(projectId)],
    into,
  })
}
