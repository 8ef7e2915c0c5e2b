/**
 * Routes channel chats, queues outgoing messages and announces changes, for all use cases about
 * them.
 */
import { type ChannelName, type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import { isChannelChat } from '../../domain/conversations/key.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { statusNotice } from '../../domain/status-texts.ts'
import { conversationStream, home, type StreamName } from '../../domain/stream-name.ts'
import type { ChannelRoute } from '../../protocol/channels/channel.ts'
import {
  type ChannelRow,
  type ChatRow,
  chatOf,
  routeIn,
  selectChat,
  selectChatOf,
  selectFirstPair,
} from '../../store/channels/channels.ts'
import { selectOutboxOf } from '../../store/channels/outbox.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { noticeColumn } from '../../store/fields.ts'
import { newRow } from '../../store/rows.ts'
import type { OutboxKind } from '../../store/schema/channels.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { isAssigned } from '../projects/project-record.ts'

/**
 * Messages waiting for one chat. Further ones are not sent and the chat shows trouble; the
 * conversation keeps them.
 */
const maxOutgoingOfChat = 500

export const chatStream = (place: ChatAddress): StreamName => conversationStream(channelKey(place))

/**
 * The chat's own route, or the channel's, or the first assignment. A route whose agent is
 * unassigned is skipped.
 */
export async function routeFor(
  reader: Reader,
  channel: ChannelName,
  chat: ChatRow | undefined,
): Promise<ChannelRoute | null> {
  for (const route of [routeIn(chat), routeIn(await reader.row('channels', { channel }))]) {
    if (route && (await isAssigned(reader, route))) return route
  }
  const first = await reader.first(selectFirstPair, {})
  return first ? { projectId: first.project_id, agentId: first.agent_id } : null
}

interface Queued {
  readonly kind: OutboxKind
  readonly body: string
  readonly expiresAt?: Instant | null
}

export const queueOutgoing = (
  tx: Tx,
  place: ChatAddress,
  content: string,
  now: Instant,
): Promise<void> => queue(tx, place, { kind: 'text', body: content }, now)

export async function queue(
  tx: Tx,
  place: ChatAddress,
  { kind, body, expiresAt = null }: Queued,
  now: Instant,
): Promise<void> {
  const { count, newest } = (await tx.first(selectOutboxOf, place)) ?? { count: 0, newest: 0 }
  if (Number(count) >= maxOutgoingOfChat) {
    const chat = await tx.first(selectChat, place)
    const trouble = statusNotice('tooManyWait', { count: maxOutgoingOfChat })
    if (chat && chat.trouble !== trouble.text)
      await tx.update('channel_chats', {
        ...chat,
        trouble: trouble.text,
        notice: noticeColumn(trouble),
      })
    return
  }
  const row = newRow('outbox', {
    target: place.channel,
    lane: place.chatId,
    n: Number(newest) + 1,
    kind,
    body,
    not_before: now,
    expires_at: expiresAt,
    created_at: now,
  })
  await tx.insert('outbox', row)
}

/** The chat that a conversation is of; undefined for others. */
export async function chatOfConversation(
  reader: Reader,
  { key, kind }: Pick<ConversationRow, 'key' | 'kind'>,
): Promise<ChatRow | undefined> {
  return isChannelChat(kind) ? reader.first(selectChatOf, { key }) : undefined
}

/**
 * Queues an assistant's message in a paired chat's conversation for sending (CN1), in the same
 * commit.
 */
export async function forwardToChannel(
  tx: Tx,
  row: ConversationRow,
  content: string,
  now: Instant,
): Promise<void> {
  if (content.trim() === '') return
  const chat = await chatOfConversation(tx, row)
  if (chat && (await isServed(tx, chat)))
    await queue(
      tx,
      { channel: chat.channel, chatId: chat.chat_id },
      { kind: 'answer', body: content },
      now,
    )
}

/** A thread is served as long as the chat is that it stands in. */
export async function isServed(reader: Reader, chat: ChatRow): Promise<boolean> {
  const { channel, parent_id: parentId } = chat
  const host =
    parentId === null ? chat : await reader.first(selectChat, { channel, chatId: parentId })
  return host?.state === 'paired'
}

/** Stores a changed chat and announces it. */
export async function writeChat(tx: Tx, changed: ChatRow, by: string): Promise<void> {
  await tx.update('channel_chats', changed)
  tx.append(home, { type: 'channel-chat-changed', data: { chat: chatOf(changed), by } })
}

export const noSuchChat = ({ channel, chatId }: ChatAddress): Refusal =>
  new Refusal('not_found', refusalText('noChatThere', { id: chatId, channel }), { chatId })

/** The channel's row, created if needed. */
export async function openChannel(tx: Tx, channel: ChannelName, now: Instant): Promise<ChannelRow> {
  tx.lock(home)
  const found = await tx.row('channels', { channel })
  if (found) return found
  const row = newRow('channels', { channel, since: now })
  await tx.insert('channels', row)
  return row
}
