/** Queries about landings and their steps (LD). */
import { sql } from 'kysely'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

export type LandingRow = Tables['landings']

/** Newest first. */
export const selectLandingsOf = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('landings')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .orderBy('asked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Landings that were begun and are not over, oldest first. */
export const selectOpenLandings = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('landings')
    .selectAll()
    .where('state', 'in', [
      sql.lit<LandingRow['state']>('running'),
      sql.lit<LandingRow['state']>('undoing'),
    ])
    .orderBy('asked_at')
    .limit(p.limit),
)

const shownChars = sql.lit(400)

/** What people asked, oldest first. */
export const selectFirstWords = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .select(sql<string>`substr(content, 1, ${shownChars})`.as('beginning'))
    .where('conversation_key', '=', p.key)
    .where('role', '=', sql.lit('user'))
    .where('visible', '=', 1)
    .where('rewound_by', 'is', null)
    .orderBy('seq')
    .limit(p.limit),
)
