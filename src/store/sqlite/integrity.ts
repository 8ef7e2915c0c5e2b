/** SQLite's own integrity checks: pages, indexes, foreign keys. */
import { type Compilable, type Kysely, sql } from 'kysely'
import type { Finding } from '../deep-check/deep-check.ts'
import type { Tables } from '../schema/tables.ts'
import type { Reader } from '../store.ts'

export async function* sqliteIntegrity(reader: Reader): AsyncGenerator<Finding> {
  for (const { integrity_check: what } of await reader.query(pragma<{ integrity_check: string }>('integrity_check(100)'))) {
    if (what !== 'ok') yield { check: 'integrity', where: 'the file', what }
  }
  for (const { table, parent } of await reader.query(pragma<{ table: string; parent: string }>('foreign_key_check'))) {
    yield { check: 'integrity', where: table, what: `has a row that refers to ${parent}, which is not there` }
  }
}

const pragma =
  <Row>(text: string) =>
  (db: Kysely<Tables>): Compilable<Row> => ({ compile: () => sql<Row>`pragma ${sql.raw(text)}`.compile(db) })
