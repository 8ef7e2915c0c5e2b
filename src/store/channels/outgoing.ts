/**
 * Outgoing messages to chats: a row exists from the commit of the message until the platform has accepted it. Written under the
 * lock of the chat's conversation.
 */
import { sql } from 'kysely'
import type { ChannelName, ChatAddress } from '../../domain/channels/key.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type OutgoingRow = Tables['outgoing']

export const insertOutgoing = statement<OutgoingRow>()((db, p) =>
  db.insertInto('outgoing').values({
    channel: p.channel,
    chat_id: p.chat_id,
    n: p.n,
    content: p.content,
    parts_sent: p.parts_sent,
    state: p.state,
    maybe_sent: p.maybe_sent,
    attempts: p.attempts,
    not_before: p.not_before,
    created_at: p.created_at,
  }),
)

export const updateOutgoing = statement<Omit<OutgoingRow, 'content' | 'created_at'>>()((db, p) =>
  db
    .updateTable('outgoing')
    .set({
      parts_sent: p.parts_sent,
      state: p.state,
      maybe_sent: p.maybe_sent,
      attempts: p.attempts,
      not_before: p.not_before,
    })
    .where('channel', '=', p.channel)
    .where('chat_id', '=', p.chat_id)
    .where('n', '=', p.n),
)

export const selectOutgoing = statement<ChatAddress & { n: number }>()((db, p) =>
  db.selectFrom('outgoing').selectAll().where('channel', '=', p.channel).where('chat_id', '=', p.chatId).where('n', '=', p.n),
)

/** The number of waiting messages in a chat, and the number of the newest. */
export const selectOutgoingOf = statement<ChatAddress>()((db, p) =>
  db
    .selectFrom('outgoing')
    .select([sql<number>`count(*)`.as('count'), sql<number>`coalesce(max(n), 0)`.as('newest')])
    .where('channel', '=', p.channel)
    .where('chat_id', '=', p.chatId),
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

export const deleteOutgoing = statement<ChatAddress & { n: number }>()((db, p) =>
  db.deleteFrom('outgoing').where('channel', '=', p.channel).where('chat_id', '=', p.chatId).where('n', '=', p.n),
)

export const deleteOutgoingOf = statement<ChatAddress>()((db, p) =>
  db.deleteFrom('outgoing').where('channel', '=', p.channel).where('chat_id', '=', p.chatId),
)
