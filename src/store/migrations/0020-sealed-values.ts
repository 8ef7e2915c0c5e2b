/** SE12: says of a store that is not new that plain values of agents' environments may be in it, so that the next start seals them. */
import type { Migration } from './migration.ts'

export const sealedValues: Migration = {
  version: 20,
  name: 'sealed-values',
  statements: () => ["insert into meta (key, value) select 'plain_values', 'kept' where exists (select 1 from streams)"],
}
