/** The `meta` table: the store's id, its incarnation and the version of its schema. */
import type { Dialect } from './dialect.ts'
import type { Tables } from './schema/tables.ts'
import { statement } from './statement.ts'

export const createMeta = ({ text }: Dialect): string =>
  `create table if not exists meta (key ${text} primary key, value ${text} not null)`

export const selectMeta = statement<{ key: Tables['meta']['key'] }>()((db, p) =>
  db.selectFrom('meta').select('value').where('key', '=', p.key),
)

export const setMeta = statement<Tables['meta']>()((db, p) =>
  db
    .insertInto('meta')
    .values({ key: p.key, value: p.value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: p.value })),
)

export const deleteMeta = statement<{ key: Tables['meta']['key'] }>()((db, p) =>
  db.deleteFrom('meta').where('key', '=', p.key),
)
