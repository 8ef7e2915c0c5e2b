/** The `meta` table: the store's id, its incarnation and the version of its schema. */
import type { Dialect } from './dialect.ts'
import { deleteBy, from } from './rows.ts'
import { statement } from './statement.ts'

export const createMeta = ({ text }: Dialect): string =>
  `create table if not exists meta (key ${text} primary key, value ${text} not null)`

export type MetaKey =
  | 'store_id'
  | 'incarnation'
  | 'schema_version'
  | 'created_at'
  | 'backed_up_at'
  | 'agent_sessions_swept_at'
  | 'cutover'
  /** SE12: the id of the key that agents' keys are sealed with. */
  | 'sealing_key'
  /** SE12: `kept` where an earlier build left plain values, `sealed` until their text is erased from the files. */
  | 'plain_values'

export const selectMeta = statement<{ key: MetaKey }>()((db, p) => from(db, 'meta', { key: p.key }).select('value'))

export const setMeta = statement<{ key: MetaKey; value: string }>()((db, p) =>
  db
    .insertInto('meta')
    .values({ key: p.key, value: p.value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: p.value })),
)

export const deleteMeta = deleteBy('meta', 'key')
