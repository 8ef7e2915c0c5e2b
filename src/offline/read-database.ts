/** Reads the configured database from one snapshot, beside a running server. Changes nothing. */
import { existsSync } from 'node:fs'
import { databaseFile, mayEnter } from '../platform/files/data-folder.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { selectMeta } from '../store/meta.ts'
import { newestVersion } from '../store/migrations/migrations.ts'
import { explainPostgres } from '../store/postgres/explain-postgres.ts'
import { explainSqlite } from '../store/sqlite/explain-sqlite.ts'
import type { Reader } from '../store/store.ts'

export async function readDatabase<T>(
  { data, database_url: url }: ConfigValues,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  if (url) {
    const { readPostgres } = await import('../store/postgres/backup.ts')
    return readPostgres(url, (reader) => ofThisVersion(reader, work)).catch(
      async (error: unknown) => {
        throw error instanceof StartFailure ? error : await explainPostgres(url, error)
      },
    )
  }
  if (!mayEnter(data))
    throw new StartFailure(
      `The data folder ${data} is closed to this user.`,
      'Act as the user it belongs to.',
    )
  const file = databaseFile(data)
  if (!existsSync(file))
    throw new StartFailure(`There is no database in ${data}.`, 'Name the folder with --data DIR.')
  const { readSqlite } = await import('../store/sqlite/backup.ts')
  return readSqlite(file, (reader) => ofThisVersion(reader, work)).catch((error: Error) => {
    throw error instanceof StartFailure ? error : explainSqlite(file, error)
  })
}

async function ofThisVersion<T>(reader: Reader, work: (reader: Reader) => Promise<T>): Promise<T> {
  const version = Number((await reader.first(selectMeta, { key: 'schema_version' }))?.value)
  if (version === newestVersion) return work(reader)
  throw new StartFailure(
    `The database has schema version ${version}; this Holdfast reads version ${newestVersion}.`,
    version < newestVersion
      ? 'Start this version once, then try again.'
      : 'Use the newer Holdfast that wrote it.',
  )
}
