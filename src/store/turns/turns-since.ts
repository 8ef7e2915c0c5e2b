/** Queries for readers that go on from a turn (SN14): by the index of the newest turns. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'
import { queued, type TurnRow } from './turns.ts'

/** Turns of a conversation that have begun, oldest first, from one of them on. */
export const selectBegunFrom = statement<{
  key: string
  createdAt: Instant
  id: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '>=', tuple(p.createdAt, p.id) as never),
    )
    .where('state', '<>', queued)
    .where('started_at', 'is not', null)
    .where('about', '<>', sql.lit<TurnRow['about']>('summary'))
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

/** The newest turn that has begun, without summaries. */
export const selectNewestBegun = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('started_at', 'is not', null)
    .where('about', '<>', sql.lit<TurnRow['about']>('summary'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)
