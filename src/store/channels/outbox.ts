/**
 * Queries about what is to be sent to somebody outside, and about the buttons in it. Of a channel:
 * written under the lock of the chat's conversation.
 */
import { sql } from 'kysely'
import type { ChannelName, ChatAddress } from '../../domain/channels/key.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type OutboxRow = Tables['outbox']

/** The number of waiting messages in a chat, and the number of the newest. */
export const selectOutboxOf = statement<ChatAddress>()((db, p) =>
  db
    .selectFrom('outbox')
    .select([sql<number>`count(*)`.as('count'), sql<number>`coalesce(max(n), 0)`.as('newest')])
    .where('target', '=', p.channel)
    .where('lane', '=', p.chatId),
)

/** The next message of each chat. */
export const selectNextOfLanes = statement<{
  target: ChannelName
  after: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('outbox as next')
    .select(['next.lane', 'next.n', 'next.not_before'])
    .where('next.target', '=', p.target)
    .where('next.lane', '>', p.after)
    .where('next.n', '=', (eb) =>
      eb
        .selectFrom('outbox as each')
        .select((inner) => inner.fn.min('each.n').as('n'))
        .whereRef('each.target', '=', 'next.target')
        .whereRef('each.lane', '=', 'next.lane'),
    )
    .orderBy('next.lane')
    .limit(p.limit),
)

/** The messages in which something was asked. */
export const selectAsksOf = statement<{ about: string; limit: number }>()((db, p) =>
  db.selectFrom('channel_asks').selectAll().where('about', '=', p.about).limit(p.limit),
)

/** Buttons of which the time is over. */
export const selectButtonsPast = statement<{ now: string; limit: number }>()((db, p) =>
  db
    .selectFrom('channel_buttons')
    .select('hash')
    .where('expires_at', '<=', p.now)
    .orderBy('expires_at')
    .limit(p.limit),
)
