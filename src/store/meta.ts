/** The `meta` table: the store's id, its incarnation and the version of its schema. */
import type { Dialect } from './dialect.ts'
import { deleteBy, putRow, selectColumns } from './rows.ts'

export const createMeta = ({ text }: Dialect): string =>
  `create table if not exists meta (key ${text} primary key, value ${text} not null)`

export const selectMeta = selectColumns('meta', 'key', 'value')

export const setMeta = putRow('meta')

export const deleteMeta = deleteBy('meta', 'key')
