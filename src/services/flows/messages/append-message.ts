/**
 * Appends a message to a conversation, marks it unread for its readers, queues their turns, and
 * passes on what an assistant says to its channel.
 */

import { chatKey } from '../../../domain/conversations/key.ts'
import { lengthOf, rankOf, unreadFor } from '../../../domain/conversations/messages.ts'
import { projectStream, type StreamName } from '../../../domain/stream-name.ts'
import type { Message } from '../../../protocol/conversations/message.ts'
import { laneOf } from '../../../store/conversations/conversation-identity.ts'
import { type ConversationRow, countsOf } from '../../../store/conversations/conversations.ts'
import type { Context, Tx } from '../../../store/store.ts'
import { forwardToChannel } from '../../channels/channel-chat-record.ts'
import { type NewMessage, writeMessage } from '../../conversations/conversation-record.ts'
import { answerCommentsIn } from '../../review/change-comment.ts'
import { tellSession } from '../../tell-session.ts'
import { endPause } from '../../turns/pause-record.ts'
import { queueChat } from '../../turns/turn-record.ts'
import { reopened } from '../conversations/close-session.ts'

/** The conversation whose context receives a message, if not the message's own. */
interface TargetContext {
  readonly key: string
  readonly originKey: string
}

/** Appends one message and marks it unread for its receivers among `readers`. */
export async function appendMessage(
  tx: Tx,
  row: ConversationRow,
  given: NewMessage,
  context: Context,
  {
    readers,
    also,
    into,
  }: {
    readonly readers: readonly string[]
    readonly also?: readonly StreamName[]
    readonly into?: TargetContext
  },
): Promise<Message> {
  const open = await reopened(tx, row, given.senderId, context)
  const { message, counted } = await writeMessage(tx, open, given, context, also)
  await tx.update('conversations', countsOf(counted))
  if (message.role === 'assistant' && message.visible) {
    await forwardToChannel(tx, row, message.content, context.now)
    await answerCommentsIn(tx, message, context)
  }
  await tellSession(tx, row.key)
  const { projectId } = message
  if (projectId === null) return message
  // SN20: who writes wants an answer, also to what was paused.
  if (message.role === 'user') await endPause(tx, message.conversationKey, message.senderId)
  for (const agentId of unreadFor(message, readers)) {
    const where = into ?? { key: message.conversationKey, originKey: '' }
    const lane = await laneOf(tx, where.originKey || where.key, agentId)
    const post = { agentId, projectId, lane }
    const turnId = await queueChat(tx, { ...post, ...where, by: message.senderId }, context)
    // Who waits for work follows the project, and of conversations only the agent's own chat.
    if (also === undefined && where.key !== chatKey(post))
      tx.append(projectStream(projectId), {
        type: 'turn-waiting',
        data: { turnId, agentId, conversationKey: where.key },
      })
    await tx.insert('unread_messages', {
      agent_id: agentId,
      project_id: projectId,
      conversation_key: message.conversationKey,
      seq: message.seq,
      priority_rank: rankOf(message.priority),
      created_at: message.createdAt,
      chars:
        lengthOf(message.content) +
        (message.media === null ? 0 : JSON.stringify(message.media).length),
      turn_id: turnId,
    })
  }
  return message
}
