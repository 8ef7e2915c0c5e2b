/** Queries about channels and pairing codes. Written under the lock of `home`, except for the times of the last messages. */
import { sql } from 'kysely'
import { type ChannelName, type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import type { Instant } from '../../domain/instant.ts'
import type { ChannelChat, ChannelRoute } from '../../protocol/channels/channel.ts'
import { noticeFrom } from '../notices.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ChannelRow = Tables['channels']

export const newChannelRow = (channel: ChannelName, now: Instant): ChannelRow => ({
  channel,
  state: 'connecting',
  trouble: null,
  notice: null,
  since: now,
  name: null,
  link: null,
  project_id: null,
  agent_id: null,
  holder: null,
  held_until: null,
  last_in_at: null,
  last_out_at: null,
})

export const selectChannel = statement<{ channel: ChannelName }>()((db, p) =>
  db.selectFrom('channels').selectAll().where('channel', '=', p.channel),
)

/** The columns that an update changes. */
const changing = (p: Omit<ChannelRow, 'last_in_at' | 'last_out_at'>) => ({
  state: p.state,
  trouble: p.trouble,
  notice: p.notice,
  since: p.since,
  name: p.name,
  link: p.link,
  project_id: p.project_id,
  agent_id: p.agent_id,
  holder: p.holder,
  held_until: p.held_until,
})

export const insertChannel = statement<ChannelRow>()((db, p) =>
  db.insertInto('channels').values({
    channel: p.channel,
    last_in_at: p.last_in_at,
    last_out_at: p.last_out_at,
    ...changing(p),
  }),
)

/** Updates all columns but the times of the last messages, which are written without the lock. */
export const updateChannel = statement<Omit<ChannelRow, 'last_in_at' | 'last_out_at'>>()((db, p) =>
  db.updateTable('channels').set(changing(p)).where('channel', '=', p.channel),
)

export const updateLastIn = statement<{ channel: ChannelName; now: Instant }>()((db, p) =>
  db.updateTable('channels').set({ last_in_at: p.now }).where('channel', '=', p.channel),
)

export const updateLastOut = statement<{ channel: ChannelName; now: Instant }>()((db, p) =>
  db.updateTable('channels').set({ last_out_at: p.now }).where('channel', '=', p.channel),
)

/** Selects the counts of a channel in one statement. */
export const selectChannelCounts = statement<{ channel: ChannelName; askedAfter: Instant }>()((db, p) =>
  db.selectNoFrom((eb) => [
    eb
      .selectFrom('channel_chats')
      .select(sql<number>`count(*)`.as('count'))
      .where('channel', '=', p.channel)
      .where('state', '=', 'paired')
      .as('paired'),
    eb
      .selectFrom('channel_chats')
      .select(sql<number>`count(*)`.as('count'))
      .where('channel', '=', p.channel)
      .where('state', '=', 'asking')
      .where('asked_at', '>', p.askedAfter)
      .as('asking'),
    eb.selectFrom('outgoing').select(sql<number>`count(*)`.as('count')).where('channel', '=', p.channel).as('waiting'),
  ]),
)

export const insertPairingCode = statement<Tables['pairing_codes']>()((db, p) =>
  db.insertInto('pairing_codes').values({
    channel: p.channel,
    hash: p.hash,
    created_by: p.created_by,
    created_at: p.created_at,
    expires_at: p.expires_at,
  }),
)

/** Oldest first. */
export const selectPairingCodes = statement<{ channel: ChannelName; limit: number }>()((db, p) =>
  db.selectFrom('pairing_codes').selectAll().where('channel', '=', p.channel).orderBy('created_at').limit(p.limit),
)

export const selectPairingCode = statement<{ channel: ChannelName; hash: string }>()((db, p) =>
  db.selectFrom('pairing_codes').selectAll().where('channel', '=', p.channel).where('hash', '=', p.hash),
)

export const deletePairingCode = statement<{ channel: ChannelName; hash: string }>()((db, p) =>
  db.deleteFrom('pairing_codes').where('channel', '=', p.channel).where('hash', '=', p.hash),
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

/** The chats on channels. Written under the lock of the chat's conversation; admission also under that of `home`. */
export type ChatRow = Tables['channel_chats']

export const selectChat = statement<ChatAddress>()((db, p) =>
  db.selectFrom('channel_chats').selectAll().where('channel', '=', p.channel).where('chat_id', '=', p.chatId),
)

/** The columns that an update changes. */
const chatValues = (p: ChatRow) => ({
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
  notice: p.notice,
})

export const insertChat = statement<ChatRow>()((db, p) =>
  db.insertInto('channel_chats').values({
    channel: p.channel,
    chat_id: p.chat_id,
    ...chatValues(p),
  }),
)

export const updateChat = statement<ChatRow>()((db, p) =>
  db.updateTable('channel_chats').set(chatValues(p)).where('channel', '=', p.channel).where('chat_id', '=', p.chat_id),
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

export const deleteChat = statement<ChatAddress>()((db, p) =>
  db.deleteFrom('channel_chats').where('channel', '=', p.channel).where('chat_id', '=', p.chatId),
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
  notice: noticeFrom(row.notice),
})
