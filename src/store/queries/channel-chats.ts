/** The chats on channels. Written behind the lock of the chat's conversation; who is let in, behind that of `home` too. */
import type { ChannelName, ChatPlace } from '../../domain/channel/key.ts'
import { channelKey } from '../../domain/channel/key.ts'
import type { ChatState } from '../../domain/channel/pairing.ts'
import type { Instant } from '../../domain/instant.ts'
import type { ChannelChat, ChannelRoute } from '../../protocol/channel.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { PageParams } from './page-cursor.ts'

export type ChatRow = Tables['channel_chats']

export const selectChat = statement<ChatPlace>()((db, p) =>
  db.selectFrom('channel_chats').selectAll().where('channel', '=', p.channel).where('chat_id', '=', p.chatId),
)

/** What changes of one that is there. */
const changing = (p: ChatRow) => ({
  kind: p.kind,
  title: p.title,
  handle: p.handle,
  language: p.language,
  state: p.state,
  project_id: p.project_id,
  agent_id: p.agent_id,
  attempts: p.attempts,
  asked_at: p.asked_at,
  decided_at: p.decided_at,
  decided_by: p.decided_by,
  last_in_at: p.last_in_at,
  last_out_at: p.last_out_at,
  trouble: p.trouble,
})

export const insertChat = statement<ChatRow>()((db, p) =>
  db.insertInto('channel_chats').values({
    channel: p.channel,
    chat_id: p.chat_id,
    ...changing(p),
  }),
)

export const updateChat = statement<ChatRow>()((db, p) =>
  db.updateTable('channel_chats').set(changing(p)).where('channel', '=', p.channel).where('chat_id', '=', p.chat_id),
)

/** Those that ask, oldest first: what the bound on them is counted by. */
export const selectAsking = statement<{ channel: ChannelName; limit: number }>()((db, p) =>
  db
    .selectFrom('channel_chats')
    .select(['chat_id', 'asked_at'])
    .where('channel', '=', p.channel)
    .where('state', '=', 'asking')
    .orderBy('asked_at')
    .limit(p.limit),
)

export const deleteChat = statement<ChatPlace>()((db, p) =>
  db.deleteFrom('channel_chats').where('channel', '=', p.channel).where('chat_id', '=', p.chatId),
)

interface ChatsFilter {
  readonly channel: ChannelName
  readonly state?: ChatState | undefined
  /** Those that have asked before count no more. */
  readonly askedAfter: Instant
}

/** The one that asked last comes first. */
export async function chatsPage(
  reader: Reader,
  { channel, state, askedAfter }: ChatsFilter,
  { createdAt, id, limit }: PageParams,
): Promise<ChannelChat[]> {
  const rows = await reader.query<ChatRow>((db) => {
    const page = db
      .selectFrom('channel_chats')
      .selectAll()
      .where('channel', '=', channel)
      .where((eb) => eb(eb.refTuple('asked_at', 'chat_id'), '<', eb.tuple(createdAt, id)))
      .where((eb) => eb.or([eb('state', '<>', 'asking'), eb('asked_at', '>', askedAfter)]))
      .orderBy('asked_at', 'desc')
      .orderBy('chat_id', 'desc')
      .limit(limit)
    return state === undefined ? page : page.where('state', '=', state)
  })
  return rows.map(chatOf)
}

export const routeIn = (row: Pick<ChatRow, 'project_id' | 'agent_id'> | undefined): ChannelRoute | null =>
  row?.project_id && row.agent_id ? { projectId: row.project_id, agentId: row.agent_id } : null

export const chatOf = (row: ChatRow): ChannelChat => ({
  channel: row.channel,
  chatId: row.chat_id,
  conversationKey: channelKey({ channel: row.channel, chatId: row.chat_id }),
  conversation: channelKey({ channel: row.channel, chatId: row.chat_id }),
  kind: row.kind,
  title: row.title,
  handle: row.handle,
  state: row.state,
  route: routeIn(row),
  askedAt: row.asked_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  lastInAt: row.last_in_at,
  lastOutAt: row.last_out_at,
  trouble: row.trouble,
})
