/**
 * Backs up a store on PostgreSQL while it is in use: every table from one snapshot, into a SQLite
 * file. Every backup is such a file, and either engine can be restored from it.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { instant } from '../../domain/instant.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { copyTables, pagesOf, tableNames } from '../copy-tables.ts'
import { deepCheck } from '../deep-check/deep-check.ts'
import { EngineReader } from '../log/reader.ts'
import { selectMeta } from '../meta.ts'
import { migrate } from '../migrate.ts'
import { requireThisVersion } from '../sqlite/backup.ts'
import { makeBackup, takeBackup } from '../sqlite/backup-file.ts'
import { SqliteConnection } from '../sqlite/connection.ts'
import type { Reader } from '../store.ts'
import { connectionOptions } from './connection-options.ts'
import { MigratingConnection } from './migrating-connection.ts'

export async function backupPostgres(url: string, toFile: string): Promise<void> {
  await makeBackup(toFile, (temporary) => readPostgres(url, (reader) => fill(temporary, reader)))
}

/** Everything read inside `work` comes from one snapshot, however long it takes. */
export async function readPostgres<T>(
  url: string,
  work: (reader: Reader) => Promise<T>,
): Promise<T> {
  const connection = await MigratingConnection.open(connectionOptions(url))
  try {
    await connection.execute({
      sql: 'begin isolation level repeatable read, read only',
      values: [],
    })
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

// Restores a backup into an empty PostgreSQL database in one transaction. Also moves a store from
// SQLite to PostgreSQL. The restored store has a new incarnation.

export async function restorePostgres(fromFile: string, url: string): Promise<void> {
  const options = connectionOptions(url)
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-restore-'))
  try {
    const file = join(folder, 'backup.db')
    await takeBackup(fromFile, file, randomness.uuid)
    const target = await MigratingConnection.open(options)
    try {
      await migrate(target, instant(Date.now()), randomness.uuid)
      await target.transaction(() => copyInto(target, file, options.address))
    } finally {
      await target.end()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function copyInto(target: MigratingConnection, file: string, address: string): Promise<void> {
  const reader = new EngineReader(target)
  await mustBeEmpty(reader, address)
  const source = SqliteConnection.openReader(file)
  try {
    await copyTables(new EngineReader(source), target)
  } finally {
    source.close()
  }
  for await (const { where, what } of deepCheck(reader)) {
    throw new StartFailure(
      `What was restored is not whole: ${where} ${what}.`,
      'Nothing was changed. Use another backup.',
    )
  }
}

async function mustBeEmpty(reader: EngineReader, address: string): Promise<void> {
  for (const table of tableNames.filter((name) => name !== 'meta')) {
    for await (const _ of pagesOf(reader, table)) {
      throw new StartFailure(
        `The database at ${address} is not empty: it has rows in ${table}.`,
        'Nothing was changed. Create a new database, restore into that, and point DATABASE_URL at it.',
      )
    }
  }
}
