/**
 * Stores a message from a paired chat (CN1) in its conversation, unread for the routed agent, in one commit. Work detection
 * then starts the agent as for the page's chat. A receipt with the platform's message id makes it idempotent.
 */

import { chatWords } from '../../domain/channels/chat-texts.ts'
import { type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { ChannelRoute } from '../../protocol/channels/channel.ts'
import { selectChat } from '../../store/channels/channels.ts'
import { updateRoute } from '../../store/conversations/conversations.ts'
import { defineUseCase } from '../../store/store.ts'
import { appendMessage, openConversation } from '../conversations/conversation-record.ts'
import { defaultWorkplace } from '../conversations/conversation-workplace.ts'
import { isAssigned } from '../projects/project-record.ts'
import { chatStream, queueOutgoing } from './channel-chat-record.ts'

export interface ChannelMessage extends ChatAddress {
  /** The author, as the platform knows them. */
  readonly senderId: string
  readonly senderName: string
  /** The platform's message id, unique for our account. */
  readonly messageId: string
  readonly content: string
  /** An attachment that cannot be accepted. */
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** From `find-chat`. */
  readonly route: ChannelRoute | null
}

/** The chat was changed since `find-chat`; the caller retries. */
export const chatHasChanged = (): Refusal => new Refusal('busy', refusalText('chatChanged'))

export const takeChannelMessage = defineUseCase('take-channel-message', {
  streams: (input: ChannelMessage) => [chatStream(input), ...(input.route ? [projectStream(input.route.projectId)] : [])],
  run: async (tx, input, context): Promise<{ seq: number | null }> => {
    const { route } = input
    const { now } = context
    const chat = await tx.first(selectChat, input)
    if (chat?.state !== 'paired' || (route && !(await isAssigned(tx, route)))) throw chatHasChanged()
    await tx.update('channel_chats', { ...chat, last_in_at: now })
    await tx.change('channels', { channel: input.channel, last_in_at: now })
    const words = chatWords(chat.language)
    if (!route) {
      await queueOutgoing(tx, input, words.noAgent, now)
      return { seq: null }
    }
    if (input.attachment) await queueOutgoing(tx, input, words.notTaken(words.attachment[input.attachment]), now)
    if (input.content === '') return { seq: null }
    const { row } = await openConversation(tx, channelKey(input), now)
    const workplace = row.project_id === route.projectId ? row.workplace : await defaultWorkplace(tx, route)
    const routed = { ...row, project_id: route.projectId, agent_id: route.agentId, workplace }
    if (row.project_id !== route.projectId || row.agent_id !== route.agentId) await tx.write(updateRoute, routed)
    const message = {
      senderId: input.senderId,
      senderName: input.senderName || undefined,
      receiverId: route.agentId,
      role: 'user',
      content: input.content,
      clientId: input.messageId,
    } as const
    const also = [projectStream(route.projectId)]
    return { seq: (await appendMessage(tx, routed, message, context, { readers: [route.agentId], also })).seq }
  },
})
