/**
 * A message from a chat that is served (CN1): appended to its conversation and unread for the agent its route names, in one commit,
 * so the work detection that the page's chat has starts it too. Run under a receipt of the platform's message id it is taken once.
 */
import type { ChatPlace } from '../../domain/channels/key.ts'
import { channelKey } from '../../domain/channels/key.ts'
import { chatWords } from '../../domain/channels/words.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { ChannelRoute } from '../../protocol/channels/channel.ts'
import { selectChat, updateChat, updateLastIn } from '../../store/channels/channels.ts'
import { updateRoute } from '../../store/conversations/conversations.ts'
import { defineUseCase } from '../../store/store.ts'
import { appendMessage, openConversation } from '../conversations/conversation-record.ts'
import { defaultWorkplace } from '../conversations/conversation-workplace.ts'
import { isAssigned } from '../projects/project-record.ts'
import { chatStream, sayIn } from './channel-chat-record.ts'

export interface ChannelMessage extends ChatPlace {
  /** Who wrote it, as far as the platform knows. */
  readonly senderId: string
  readonly senderName: string
  /** The platform's id of the message, unique for our account there. */
  readonly messageId: string
  readonly content: string
  /** Something hung on it that cannot be taken. */
  readonly attachment: 'photo' | 'voice' | 'other' | null
  /** From `find-chat`. */
  readonly route: ChannelRoute | null
}

/** Somebody has decided about the chat meanwhile: whoever looks again finds how it stands. */
export const chatHasChanged = (): Refusal => new Refusal('busy', 'The chat has changed meanwhile; try again')

export const takeChannelMessage = defineUseCase({
  name: 'take-channel-message',
  streams: (input: ChannelMessage) => [chatStream(input), ...(input.route ? [projectStream(input.route.projectId)] : [])],
  run: async (tx, input, context): Promise<{ seq: number | null }> => {
    const { route } = input
    const { now } = context
    const chat = await tx.first(selectChat, input)
    if (chat?.state !== 'paired' || (route && !(await isAssigned(tx, route)))) throw chatHasChanged()
    await tx.write(updateChat, { ...chat, last_in_at: now })
    await tx.write(updateLastIn, { channel: input.channel, now })
    const words = chatWords(chat.language)
    if (!route) {
      await sayIn(tx, input, words.noAgent, now)
      return { seq: null }
    }
    if (input.attachment) await sayIn(tx, input, words.notTaken(words.attachment[input.attachment]), now)
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
