/** What came of a turn, as rows in order: written once, in the commit that ends it. */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export const insertTurnItem = statement<Tables['turn_items']>()((db, p) =>
  db.insertInto('turn_items').values({ turn_id: p.turn_id, n: p.n, kind: p.kind, body: p.body }),
)

export const selectTurnItems = statement<{ turnId: string; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_items')
    .select(['n', 'kind', 'body'])
    .where('turn_id', '=', p.turnId)
    .where('n', '>', p.after)
    .orderBy('n')
    .limit(p.limit),
)
