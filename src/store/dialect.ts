/**
 * The differences in SQL between the two engines. All other statements are the same text for both.
 */
import type { Kysely, RawBuilder } from 'kysely'
import type { Tables } from './schema/tables.ts'

export interface Dialect {
  readonly name: 'sqlite' | 'postgres'
  readonly builder: Kysely<Tables>
  /** The type of text that is compared byte by byte, so that both engines sort alike. */
  readonly text: string
  /** Appended to a `create table` whose rows should be stored in key order. */
  readonly clustered: string
  readonly search: SearchDialect
}

/**
 * The full-text index of each engine (docs/decisions/0019-search-is-behind-the-appends.md). Terms
 * are separated by spaces; a wanted term that ends with a star is a prefix. Terms contain neither
 * spaces nor stars.
 */
export interface SearchDialect {
  readonly createTerms: readonly string[]
  /** The terms of a document as a value to insert. */
  readonly terms: (terms: string) => RawBuilder<string>
  /** A condition on `search_terms`: the document has all wanted terms. */
  readonly hasAll: (wanted: string) => RawBuilder<boolean>
}
