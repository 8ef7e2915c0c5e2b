/**
 * Backs up a store on PostgreSQL while it is in use: every table from one snapshot, into a SQLite file. Every backup is such a
 * file, and either engine can be restored from it.
 */
import { instant } from '../../domain/instant.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { copyTables } from '../copy-tables.ts'
import { EngineReader } from '../log/reader.ts'
import { selectMeta } from '../meta.ts'
import { migrate } from '../migrate.ts'
import { requireThisVersion } from '../sqlite/backup.ts'
import { makeBackup } from '../sqlite/backup-file.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import type { Reader } from '../store.ts'
import { connectionOptions } from './connection-options.ts'
import { MigratingConnection } from './migrating-connection.ts'

export async function backupPostgres(url: string, toFile: string): Promise<void> {
  await makeBackup(toFile, (temporary) => readPostgres(url, (reader) => fill(temporary, reader)))
}

/** Everything read inside `work` comes from one snapshot, however long it takes. */
export async function readPostgres<T>(url: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const connection = await MigratingConnection.open(connectionOptions(url))
  try {
    await connection.execute({ sql: 'begin isolation level repeatable read, read only', values: [] })
    return await work(new EngineReader(connection))
  } finally {
    await connection.end()
  }
}

async function fill(temporary: string, reader: Reader): Promise<void> {
  requireThisVersion(Number((await reader.first(selectMeta, { key: 'schema_version' }))?.value))
  const connection = SqliteConnection.openWriter(temporary)
  try {
    await migrate(connection, instant(Date.now()), randomness.uuid)
    await copyTables(reader, connection, (write) => connection.transaction(write))
  } finally {
    connection.close()
  }
}
