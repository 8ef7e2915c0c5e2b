/** What the two engines spell differently. Everything else above the driver folders is the same text for both. */
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './schema/tables.ts'

export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  readonly builder: Kysely<Tables>
  /** The type of text that is compared byte by byte, so that both engines sort alike. */
  readonly text: string
  /** Behind a `create table` whose rows should lie in the order of their key. */
  readonly clustered: string
  readonly search: SearchDialect
}

/**
 * The index of terms (docs/decisions/0019-search-is-behind-the-appends.md): each engine's own, under one name. Terms are handed over with spaces between
 * them; what is wanted likewise, with a star behind a term that may go on. The terms themselves hold neither.
 */
export interface SearchDialect {
  readonly createTerms: readonly string[]
  /** The terms of a document as a value to insert. */
  readonly terms: (terms: string) => RawBuilder<string>
  /** A condition on `search_terms`: the document has all of them. */
  readonly hasAll: (wanted: string) => RawBuilder<boolean>
}
