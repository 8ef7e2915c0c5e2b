/**
 * Makes and checks backup files. A backup is one SQLite file, whichever engine it came from. It is
 * written under a temporary name and renamed when it is complete, checked and synced; on failure it
 * is removed.
 */

import { randomBytes } from 'node:crypto'
import { copyFile, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Compilable, type Kysely, sql } from 'kysely'
import { instant } from '../../domain/instant.ts'
import { syncFolder } from '../../platform/files/atomic-file.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { deepCheck, type Finding } from '../deep-check/deep-check.ts'
import { EngineReader } from '../log/reader.ts'
import { deleteMeta, setMeta } from '../meta.ts'
import { migrate, NewerDatabase } from '../migrate.ts'
import type { Tables } from '../schema/tables.ts'
import { bind } from '../statement.ts'
import type { Reader } from '../store.ts'
import { NotOurDatabase, SqliteConnection } from './connection.ts'

const maxFindings = 5

export async function makeBackup(
  toFile: string,
  fill: (temporary: string) => Promise<void>,
): Promise<void> {
  if (await stat(toFile).catch(() => undefined)) {
    throw new StartFailure(
      `${toFile} is there already.`,
      'Choose another name; a backup is never written over.',
    )
  }
  const temporary = beside(toFile)
  try {
    // Readable by its owner only from the first byte, because it holds everything the store holds.
    await (await open(temporary, 'wx', 0o600)).close()
    await fill(temporary)
    await change(temporary, (connection) => {
      connection.execute(
        bind(connection.dialect, setMeta, { key: 'backed_up_at', value: instant(Date.now()) }),
      )
    })
    await requireIntact(temporary, 'The backup')
    await syncFile(temporary)
    await rename(temporary, toFile)
    await syncFolder(dirname(toFile))
  } finally {
    await removeDatabase(temporary)
  }
}

/**
 * Copies a backup for use: migrated to this version, with an incarnation of its own, and checked.
 */
export async function takeBackup(
  fromFile: string,
  temporary: string,
  uuid: () => string,
): Promise<void> {
  try {
    await copyFile(fromFile, temporary)
  } catch (error) {
    throw new StartFailure(
      `The backup ${fromFile} cannot be read.`,
      'Check its name and your rights on it.',
      { cause: error },
    )
  }
  await requireIntact(temporary, `The backup ${fromFile}`, false)
  try {
    requireIdentity(temporary, fromFile)
    await bringUpToDate(temporary, uuid)
  } catch (error) {
    throw explain(fromFile, error)
  }
  await requireIntact(temporary, `The backup ${fromFile}`)
  await syncFile(temporary)
}

export const beside = (file: string): string =>
  `${file}.${randomBytes(6).toString('hex')}.unfinished`

export async function removeDatabase(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${file}${end}`, { force: true })
}

/** Changes a file that no other process uses, and leaves no log file beside it. */
async function change(
  file: string,
  work: (connection: SqliteConnection) => void | Promise<void>,
): Promise<void> {
  const connection = SqliteConnection.openWriter(file)
  try {
    await work(connection)
    connection.command('pragma journal_mode = delete')
  } finally {
    connection.close()
  }
}

/** Refuses an empty file, which would otherwise become a new store. */
function requireIdentity(file: string, name: string): void {
  const connection = SqliteConnection.openReader(file)
  try {
    const [table] = connection.execute({
      sql: `select name from sqlite_schema where name = 'meta'`,
      values: [],
    })
    if (!table) throw new NotOurDatabase(name)
  } finally {
    connection.close()
  }
}

const bringUpToDate = (file: string, uuid: () => string): Promise<void> =>
  change(file, async (connection) => {
    await migrate(connection, instant(Date.now()), uuid)
    connection.execute(bind(connection.dialect, setMeta, { key: 'incarnation', value: uuid() }))
    // SE12: the first node that starts on it sets the key that it seals with.
    connection.execute(bind(connection.dialect, deleteMeta, { key: 'sealing_key' }))
  })

function explain(fromFile: string, error: unknown): unknown {
  if (error instanceof NewerDatabase)
    return new StartFailure(
      `${error.message}.`,
      'Use the newer Holdfast that made the backup; nothing was changed.',
    )
  if (error instanceof NotOurDatabase)
    return new StartFailure(
      `${fromFile} is no backup of Holdfast's.`,
      'Check its name; nothing was changed.',
    )
  return error
}

/** Refuses a database with findings. `deep` needs the tables of this version. */
async function requireIntact(file: string, name: string, deep = true): Promise<void> {
  const findings: Finding[] = []
  const connection = openOrRefuse(file, name)
  try {
    const reader = new EngineReader(connection)
    for await (const finding of deep
      ? deepCheck(reader, sqliteIntegrity)
      : sqliteIntegrity(reader)) {
      if (findings.push(finding) === maxFindings) break
    }
  } catch (error) {
    throw damaged(name, String(error))
  } finally {
    connection.close()
  }
  if (findings.length > 0)
    throw damaged(name, findings.map(({ where, what }) => `${where} ${what}`).join('; '))
}

function openOrRefuse(file: string, name: string): SqliteConnection {
  try {
    return SqliteConnection.openReader(file)
  } catch (error) {
    throw damaged(name, String(error))
  }
}

const damaged = (name: string, what: string): StartFailure =>
  new StartFailure(
    `${name} is damaged: ${what}.`,
    'Nothing was changed. Use another backup; `holdfast doctor --deep` looks at the original.',
  )

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.chmod(0o600)
    await file.sync()
  } finally {
    await file.close()
  }
}

// SQLite's own integrity checks: pages, indexes, foreign keys.

export async function* sqliteIntegrity(reader: Reader): AsyncGenerator<Finding> {
  for (const { integrity_check: what } of await reader.query(
    pragma<{ integrity_check: string }>('integrity_check(100)'),
  )) {
    if (what !== 'ok') yield { check: 'integrity', where: 'the file', what }
  }
  for (const { table, parent } of await reader.query(
    pragma<{ table: string; parent: string }>('foreign_key_check'),
  )) {
    yield {
      check: 'integrity',
      where: table,
      what: `has a row that refers to ${parent}, which is not there`,
    }
  }
}

const pragma =
  <Row>(text: string) =>
  (db: Kysely<Tables>): Compilable<Row> => ({
    compile: () => sql<Row>`pragma ${sql.raw(text)}`.compile(db),
  })
