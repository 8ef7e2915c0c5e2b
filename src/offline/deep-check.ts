/**
 * Deep check of the configured database from one snapshot, beside a running server. Changes
 * nothing.
 */
import { existsSync } from 'node:fs'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { databaseFile } from '../platform/files/data-folder.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { deepCheck, type Finding } from '../store/deep-check/deep-check.ts'
import { selectMeta } from '../store/meta.ts'
import { newestVersion } from '../store/migrations/migrations.ts'
import { explainPostgres } from '../store/postgres/explain-postgres.ts'
import { explainSqlite } from '../store/sqlite/explain-sqlite.ts'
import type { Reader } from '../store/store.ts'

export interface DeepCheck {
  readonly rows: number
  readonly findings: readonly Finding[]
}

type OnRows = (rows: number) => void

/** SQLite reads are synchronous: without a pause there is no progress and no Ctrl-C. */
const yieldEveryMs = 100

export async function checkDeeply(
  { data, database_url: url }: ConfigValues,
  onRows: OnRows,
): Promise<DeepCheck> {
  if (url) {
    const { readPostgres } = await import('../store/postgres/backup.ts')
    try {
      return await readPostgres(url, (reader) => check(reader, onRows))
    } catch (error) {
      throw await explainPostgres(url, error)
    }
  }
  const file = databaseFile(data)
  if (!existsSync(file))
    throw new StartFailure(`There is no database in ${data}.`, 'Name the folder with --data DIR.')
  const { readSqlite } = await import('../store/sqlite/backup.ts')
  const { sqliteIntegrity } = await import('../store/sqlite/backup-file.ts')
  try {
    return await readSqlite(file, (reader) => check(reader, onRows, sqliteIntegrity))
  } catch (error) {
    throw explainSqlite(file, error as Error)
  }
}

async function check(
  reader: Reader,
  onRows: OnRows,
  integrity?: Parameters<typeof deepCheck>[1],
): Promise<DeepCheck> {
  const version = Number((await reader.first(selectMeta, { key: 'schema_version' }))?.value)
  if (version !== newestVersion) {
    throw new StartFailure(
      `The database has schema version ${version}; this Holdfast looks through version ${newestVersion}.`,
      version < newestVersion
        ? 'Start this version once, then try again.'
        : 'Use the newer Holdfast that wrote it.',
    )
  }
  const counting = new CountingReader(reader, onRows)
  const findings: Finding[] = []
  for await (const finding of deepCheck(counting, integrity)) findings.push(finding)
  return { rows: counting.counted, findings }
}

/** Counts rows and yields to the event loop now and then. */
class CountingReader implements Reader {
  counted = 0
  readonly #reader: Reader
  readonly #onRows: OnRows
  #lastPause = performance.now()

  constructor(reader: Reader, onRows: OnRows) {
    this.#reader = reader
    this.#onRows = onRows
  }

  all: Reader['all'] = async (statement, params) =>
    this.#counted(await this.#reader.all(statement, params))

  first: Reader['first'] = async (statement, params) => {
    const row = await this.#reader.first(statement, params)
    await this.#counted(row === undefined ? [] : [row])
    return row
  }

  row: Reader['row'] = async (table, key) => {
    const row = await this.#reader.row(table, key)
    await this.#counted(row === undefined ? [] : [row])
    return row
  }

  rows: Reader['rows'] = async (table, values, ...order) =>
    this.#counted(await this.#reader.rows(table, values, ...order))

  query: Reader['query'] = async (build) => this.#counted(await this.#reader.query(build))

  async #counted<Row>(rows: Row[]): Promise<Row[]> {
    this.counted += rows.length
    if (performance.now() - this.#lastPause < yieldEveryMs) return rows
    this.#onRows(this.counted)
    await yieldToOthers()
    this.#lastPause = performance.now()
    return rows
  }
}
