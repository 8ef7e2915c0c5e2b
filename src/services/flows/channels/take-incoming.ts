/**
 * Takes what comes in from chats on channels: messages and commands of paired ones, and unpaired
 * senders. A receipt with the platform's message id makes it idempotent.
 */

import { chatWords } from '../../../domain/channels/chat-texts.ts'
import { type ChatAddress, channelKey, isNewerId } from '../../../domain/channels/key.ts'
import { projectStream } from '../../../domain/stream-name.ts'
import type { ChannelRoute } from '../../../protocol/channels/channel.ts'
import { type ChatRow, selectChat } from '../../../store/channels/channels.ts'
import { selectAsksOf } from '../../../store/channels/outbox.ts'
import { newRow } from '../../../store/rows.ts'
import { type Context, defineUseCase, type Tx } from '../../../store/store.ts'
import { aboutWait, closeAsk, queueAsk } from '../../channels/ask-record.ts'
import { chatStream, queueOutgoing, routeFor } from '../../channels/channel-chat-record.ts'
import type { Incoming, Taken } from '../../channels/incoming.ts'
import { findWaitingTurn } from '../../conversations/conversation-activity.ts'
import { openConversation } from '../../conversations/conversation-record.ts'
import { defaultWorkplace } from '../../conversations/conversation-workplace.ts'
import { takesNoPictures } from '../../turns/chat-options.ts'
import { postForAgents } from '../messages/post-for-agents.ts'
import { answerCommand } from './chat-commands.ts'
import { answerUnpaired, takeCode, takeUnpaired } from './pair-sender.ts'

interface TakenIncoming {
  readonly taken: Taken
  /** The answer to a command. */
  readonly said?: string
}

/**
 * Takes what comes in from a chat on a channel: a message or a command of a paired one, or a
 * request to be paired.
 */
export const takeIncoming = defineUseCase('take-incoming', {
  scope: 'server',
  on: 'nobody',
  streams: (input: Incoming) => [chatStream(input)],
  run: async (tx, input, context): Promise<TakenIncoming> => {
    const { channel, command, content, attachment } = input
    const { now } = context
    const admitting = { channel, chatId: input.parentId ?? input.chatId }
    if (input.parentId !== null) tx.lock(chatStream(admitting))
    const host = await tx.first(selectChat, admitting)
    const thread = input.parentId === null ? undefined : await tx.first(selectChat, input)
    if (input.kind === 'group' && !input.isForUs && !thread) return { taken: 'nothing' }
    if (host?.state !== 'paired') {
      await takeUnpaired(tx, { ...input, ...admitting }, host, now)
      return { taken: 'unpaired' }
    }
    const person = await tx.row('channel_people', { channel, user_id: input.userId })
    if (!person && (await takeCode(tx, input, host, now))) return { taken: 'unpaired' }
    if (input.kind === 'group' && host.hears === 'people' && !person) {
      await answerUnpaired(tx, input, host, now)
      return { taken: 'unpaired' }
    }
    const { media = [], left = [] } = input
    const isEmpty = content === '' && media.length === 0 && left.length === 0
    if (!command && isEmpty && attachment === null) return { taken: 'nothing' }
    const chat =
      input.parentId === null ? host : (thread ?? (await beginThread(tx, input, host, now)))
    await tx.update('channel_chats', { ...chat, ...readUpTo(chat, input), last_in_at: now })
    const position = input.position === undefined ? {} : { position: input.position }
    await tx.update('channels', { channel, last_in_at: now, ...position })
    const route = await routeFor(tx, channel, host)
    if (!command) {
      await takeMessage(tx, input, chat, route, context)
      return { taken: 'message' }
    }
    if (route) tx.lock(projectStream(route.projectId))
    const order = { channel, chatId: input.chatId, senderId: input.senderId, route }
    const answer = await answerCommand(tx, { ...order, command: command.command }, chat, context)
    await queueOutgoing(tx, input, answer, now)
    return { taken: 'command', said: answer }
  },
})

const readUpTo = ({ last_id }: ChatRow, { platformId }: Incoming) =>
  isNewerId(platformId, last_id) ? { last_id: platformId } : {}

/** A thread is served because its chat is (CN5). */
async function beginThread(
  tx: Tx,
  { channel, chatId, parentId, title, language }: Incoming,
  host: ChatRow,
  now: string,
): Promise<ChatRow> {
  const about = { kind: host.kind, title: title || host.title, handle: host.handle, language }
  const row = newRow('channel_chats', {
    ...about,
    channel,
    chat_id: chatId,
    parent_id: parentId,
    state: 'paired',
    hears: host.hears,
    asked_at: now,
    decided_at: now,
    decided_by: host.decided_by,
  })
  await tx.insert('channel_chats', row)
  return row
}

/**
 * Stores a message from a paired chat (CN1) in its conversation, unread for the routed agent, in
 * one commit. Work detection then starts the agent as for the page's chat.
 */
async function takeMessage(
  tx: Tx,
  input: Incoming,
  chat: ChatRow,
  route: ChannelRoute | null,
  context: Context,
): Promise<void> {
  const { now } = context
  const words = chatWords(chat.language, input.channel)
  if (!route) return queueOutgoing(tx, input, words.noAgent, now)
  if (input.attachment)
    await queueOutgoing(tx, input, words.notTaken(words.attachment[input.attachment]), now)
  const { media = [], left = [] } = input
  if (left.length > 0) await queueOutgoing(tx, input, words.filesLeft(left.join(', ')), now)
  if (input.content === '' && media.length === 0) return
  const key = channelKey(input)
  // CN5: a thread is one job, with processes of its own.
  const given = input.parentId === null ? {} : ({ kind: 'channel-thread', lane: key } as const)
  const { row } = await openConversation(tx, key, now, given)
  const workplace =
    row.project_id === route.projectId ? row.workplace : await defaultWorkplace(tx, route)
  const change = { project_id: route.projectId, agent_id: route.agentId, workplace }
  if (row.project_id !== route.projectId || row.agent_id !== route.agentId)
    await tx.update('conversations', { key: row.key, ...change })
  const routed = { ...row, ...change }
  const hasPictures = media.some(({ type }) => type === 'image')
  const isBlind = hasPictures && (await takesNoPictures(tx, routed))
  if (isBlind) await queueOutgoing(tx, input, words.noPictures, now)
  const shown = isBlind ? media.filter(({ type }) => type !== 'image') : media
  if (input.content === '' && shown.length === 0) return
  const message = {
    senderId: input.senderId,
    senderName: input.senderName || undefined,
    receiverId: route.agentId,
    role: 'user',
    content: input.content,
    ...(shown.length > 0 && { media: shown }),
    clientId: input.messageId,
  } as const
  const also = [projectStream(route.projectId)]
  await postForAgents(tx, routed, message, context, { readers: [route.agentId], also })
  await offerToBegin(tx, input, now)
}

/** CX9: a message that waits for other work in the folder may be answered beside it. */
async function offerToBegin(tx: Tx, place: ChatAddress, now: string): Promise<void> {
  const key = channelKey(place)
  const about = aboutWait(key)
  const isAsked = (await tx.first(selectAsksOf, { about, limit: 1 })) !== undefined
  const isWaiting = (await findWaitingTurn(tx, key)) !== undefined
  if (isWaiting && !isAsked) await queueAsk(tx, place, about, now)
  if (isAsked && !isWaiting) await closeAsk(tx, about, now)
}
