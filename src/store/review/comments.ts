/** Queries about comments on lines of changes (RV2, RV3). */

import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type CommentRow = Tables['comments']

/** Comments and answers of a conversation with the rewind that took back what sent them. */
export const selectComments = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('comments')
    .leftJoin('messages', (join) =>
      join
        .onRef('messages.conversation_key', '=', 'comments.conversation_key')
        .onRef('messages.seq', '=', 'comments.sent_seq'),
    )
    .selectAll('comments')
    .select('messages.rewound_by as taken_back_by')
    .where('comments.conversation_key', '=', p.key)
    .where('comments.state', '<>', sql.lit('withdrawn'))
    .orderBy('comments.number')
    .orderBy('comments.created_at')
    .orderBy('comments.id')
    .limit(p.limit),
)

export const selectLastNumber = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('comments')
    .select('number')
    .where('conversation_key', '=', p.key)
    .orderBy('number', 'desc')
    .limit(1),
)

/** The comment with a number; its answers have the same. */
export const selectByNumber = statement<{ key: string; number: number }>()((db, p) =>
  db
    .selectFrom('comments')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('number', '=', p.number)
    .where('in_reply_to', 'is', null),
)

export const selectPlaces = statement<{ key: string }>()((db, p) =>
  db.selectFrom('comment_places').selectAll().where('conversation_key', '=', p.key),
)

/** States after the turns of a conversation that began after a time, in their order. */
export const selectStatesSince = statement<{ key: string; since: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('turn_files')
      .select(['turn_id', 'before_state', 'after_state', 'created_at'])
      .where('conversation_key', '=', p.key)
      .where('created_at', '>', p.since as Instant)
      .where('before_state', 'is not', null)
      .orderBy('created_at')
      .orderBy('turn_id')
      .limit(p.limit),
)

/** Where the newest turn with a state has its files. */
export const selectNewestFiles = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('before_state', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)
