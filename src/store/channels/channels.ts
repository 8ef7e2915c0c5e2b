/**
 * Queries about channels and pairing codes. Written under the lock of `home`, except for the times
 * of the last messages.
 */

import { sql } from 'kysely'
import { type ChannelName, channelKey } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import type { Instant } from '../../domain/instant.ts'
import type { ChannelChat, ChannelRoute } from '../../protocol/channels/channel.ts'
import { fields, noticeFrom } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ChannelRow = Tables['channels']

export const selectChannelCounts = statement<{ channel: ChannelName; askedAfter: Instant }>()(
  (db, p) =>
    db.selectNoFrom((eb) => [
      db
        .selectFrom('channel_chats')
        .select(sql<number>`count(*)`.as('count'))
        .where('channel', '=', p.channel)
        .where('state', '=', 'paired')
        .where('parent_id', 'is', null)
        .as('paired'),
      db
        .selectFrom('channel_chats')
        .select(sql<number>`count(*)`.as('count'))
        .where('channel', '=', p.channel)
        .where('state', '=', 'asking')
        .where('parent_id', 'is', null)
        .where('asked_at', '>', p.askedAfter)
        .as('asking'),
      eb
        .selectFrom('outbox')
        .select(sql<number>`count(*)`.as('count'))
        .where('target', '=', p.channel)
        .as('waiting'),
    ]),
)

export const selectPairingCodes = statement<{
  channel: Tables['pairing_codes']['channel']
  limit: number
}>()((db, p) =>
  db
    .selectFrom('pairing_codes')
    .selectAll()
    .where('channel', '=', p.channel)
    .orderBy('created_at')
    .limit(p.limit),
)

/** The default pair: the first agent of the oldest project that has one. */
export const selectFirstPair = statement()((db) =>
  db
    .selectFrom('assignments')
    .innerJoin('projects', 'projects.id', 'assignments.project_id')
    .select(['assignments.project_id', 'assignments.agent_id'])
    .orderBy('projects.created_at')
    .orderBy('projects.id')
    .orderBy('assignments.created_at')
    .orderBy('assignments.agent_id')
    .limit(1),
)

/**
 * The chats on channels. Written under the lock of the chat's conversation; admission also under
 * that of `home`.
 */
export type ChatRow = Tables['channel_chats']

/** The chat that a conversation is of, by the name of both. */
export const selectChatOf = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('channel_chats')
    .selectAll()
    .where(sql<string>`channel || ':' || chat_id`, '=', p.key),
)

export const selectChat = statement<{
  channel: Tables['channel_chats']['channel']
  chatId: string
}>()((db, p) =>
  db
    .selectFrom('channel_chats')
    .selectAll()
    .where('channel', '=', p.channel)
    .where('chat_id', '=', p.chatId),
)

/** Chats that ask for admission, oldest first; their number is bounded. */
export const selectAsking = statement<{ channel: ChannelName; limit: number }>()((db, p) =>
  db
    .selectFrom('channel_chats')
    .select(['chat_id', 'asked_at'])
    .where('channel', '=', p.channel)
    .where('state', '=', 'asking')
    .orderBy('asked_at')
    .limit(p.limit),
)

/** The threads of a chat in which something waits or runs are among the most recent. */
export const selectThreads = statement<{ channel: ChannelName; parentId: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('channel_chats')
      .select(['chat_id', 'last_in_at'])
      .where('channel', '=', p.channel)
      .where('parent_id', '=', p.parentId)
      .orderBy('last_in_at', 'desc')
      .limit(p.limit),
)

/** Chats and threads that were read before, the most recent first. */
export const selectRecentChats = statement<{ channel: ChannelName; limit: number }>()((db, p) =>
  db
    .selectFrom('channel_chats')
    .select(['chat_id', 'parent_id', 'kind', 'last_id'])
    .where('channel', '=', p.channel)
    .where('state', '=', 'paired')
    .where('last_id', 'is not', null)
    .orderBy('last_in_at', 'desc')
    .limit(p.limit),
)

interface ChatsFilter {
  readonly channel: ChannelName
  readonly state?: ChatState | undefined
  /** Earlier requests no longer count. */
  readonly askedAfter: Instant
}

/** The most recent request first. */
export async function chatsPage(
  reader: Reader,
  filter: ChatsFilter,
  page: PageParams,
): Promise<ChannelChat[]> {
  const { channel, state, askedAfter } = filter
  const rows = await reader.query<ChatRow>((db) => {
    let found = db
      .selectFrom('channel_chats')
      .selectAll()
      .where('channel', '=', channel)
      .where('parent_id', 'is', null)
      .where((eb) => eb.or([eb('state', '<>', 'asking'), eb('asked_at', '>', askedAfter)]))
    if (state !== undefined) found = found.where('state', '=', state)
    return pageOf(found, page, 'asked_at', 'chat_id')
  })
  return rows.map(chatOf)
}

export const routeIn = (
  row: Pick<ChatRow, 'project_id' | 'agent_id'> | undefined,
): ChannelRoute | null =>
  row?.project_id && row.agent_id ? { projectId: row.project_id, agentId: row.agent_id } : null

export const chatOf = (row: ChatRow): ChannelChat => ({
  ...fields(
    row,
    'channel',
    'chat_id',
    'kind',
    'hears',
    'title',
    'handle',
    'state',
    'asked_at',
    'decided_at',
    'decided_by',
  ),
  ...fields(row, 'last_in_at', 'last_out_at', 'trouble'),
  conversationKey: channelKey({ channel: row.channel, chatId: row.chat_id }),
  conversation: channelKey({ channel: row.channel, chatId: row.chat_id }),
  route: routeIn(row),
  notice: noticeFrom(row.notice),
})
