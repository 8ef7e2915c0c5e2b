/** What the two engines spell differently. Everything else above the driver folders is the same text for both. */
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  readonly builder: Kysely<Tables>
  /** The type of text that is compared byte by byte, so that both engines sort alike. */
  readonly text: string
  /** Behind a `create table` whose rows should lie in the order of their key. */
  readonly clustered: string
}
