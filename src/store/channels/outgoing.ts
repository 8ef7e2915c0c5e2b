/**
 * Outgoing messages to chats: a row exists from the commit of the message until the platform has accepted it. Written under the
 * lock of the chat's conversation.
 */
import { sql } from 'kysely'
import type { ChannelName, ChatAddress } from '../../domain/channels/key.ts'
import { deleteBy, from, selectBy, updateColumns } from '../rows.ts'
import { statement } from '../statement.ts'

export const updateOutgoing = updateColumns('outgoing', 'parts_sent', 'state', 'maybe_sent', 'attempts', 'not_before')

export const selectOutgoing = selectBy('outgoing', { channel: 'channel', chatId: 'chat_id', n: 'n' })

/** The number of waiting messages in a chat, and the number of the newest. */
export const selectOutgoingOf = statement<ChatAddress>()((db, p) =>
  from(db, 'outgoing', { channel: p.channel, chat_id: p.chatId }).select([
    sql<number>`count(*)`.as('count'),
    sql<number>`coalesce(max(n), 0)`.as('newest'),
  ]),
)

/** The next message of each chat. */
export const selectNextOfChats = statement<{ channel: ChannelName; after: string; limit: number }>()((db, p) =>
  db
    .selectFrom('outgoing as next')
    .select(['next.chat_id', 'next.n', 'next.not_before'])
    .where('next.channel', '=', p.channel)
    .where('next.chat_id', '>', p.after)
    .where('next.n', '=', (eb) =>
      eb
        .selectFrom('outgoing as each')
        .select((inner) => inner.fn.min('each.n').as('n'))
        .whereRef('each.channel', '=', 'next.channel')
        .whereRef('each.chat_id', '=', 'next.chat_id'),
    )
    .orderBy('next.chat_id')
    .limit(p.limit),
)

export const deleteOutgoing = deleteBy('outgoing', { channel: 'channel', chatId: 'chat_id', n: 'n' })

export const deleteOutgoingOf = deleteBy('outgoing', { channel: 'channel', chatId: 'chat_id' })
