/**
 * Backup and restore of the configured database, on either engine. Opens it beside a running
 * server: a backup reads one snapshot, a restore refuses a folder in use. Never replaces a database
 * without reporting what it held.
 */
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { conversationsFolder, databaseFile, projectsFolder } from '../platform/files/data-folder.ts'
import { requireNotMoved, unmarkMoved } from '../platform/files/moved-mark.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import { readSeals, sealingKeyFile } from '../platform/secrets/sealing-key.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { type AgentWithoutKeys, agentsWithoutKeys } from '../services/agents/queries.ts'
import { selectMeta } from '../store/meta.ts'
import { explainPostgres } from '../store/postgres/explain-postgres.ts'
import { explainSqlite } from '../store/sqlite/explain-sqlite.ts'
import type { Reader } from '../store/store.ts'

/** Summary of a database, shown before it is replaced or after it is restored. */
export interface Contents {
  readonly events: number
  readonly projects: number
  /** null: the database has no event. */
  readonly lastEventAt: string | null
  /** null: it is not a backup. */
  readonly backedUpAt: string | null
  readonly incarnation: string
}

export interface Backup extends Contents {
  readonly file: string
  readonly bytes: number
}

/**
 * Destination of a restore. `contents` is null when there is no database, 'unreadable' when it
 * cannot be read.
 */
export interface Target {
  readonly place: string
  readonly contents: Contents | 'unreadable' | null
  /** The data folder has mirrored files, which may be newer than the backup (CK4). */
  readonly hasFiles: boolean
}

export interface RestoredStore extends Contents {
  readonly place: string
  /** Path of the replaced database; null when there was none, or it was not kept. */
  readonly keptAt: string | null
  /** SE12: agents whose values are sealed with a key that is missing here. */
  readonly agentsWithoutKeys: readonly AgentWithoutKeys[]
  /** Path where that key belongs. */
  readonly sealingKeyFile: string
}

export async function backUp(
  { data, database_url: url }: ConfigValues,
  toFile: string,
): Promise<Backup> {
  if (url) {
    const { backupPostgres } = await import('../store/postgres/backup.ts')
    await backupPostgres(url, toFile).catch(async (error: unknown) => {
      throw await explainPostgres(url, error)
    })
  } else {
    const { backupSqlite } = await import('../store/sqlite/backup.ts')
    const file = databaseFile(data)
    if (!existsSync(file))
      throw new StartFailure(`There is no database in ${data}.`, 'Name the folder with --data DIR.')
    await requireNotMoved(data)
    await backupSqlite(file, toFile).catch((error: Error) => {
      throw explainSqlite(file, error)
    })
  }
  return inspectBackup(toFile)
}

export async function inspectBackup(file: string): Promise<Backup> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile())
    throw new StartFailure(`There is no backup ${file}.`, 'Check its name; nothing was changed.', {
      exitCode: 2,
    })
  // A database with a write-ahead log is in use; a backup is a single file.
  if (
    await stat(`${file}-wal`).then(
      ({ size }) => size > 0,
      () => false,
    )
  ) {
    throw new StartFailure(
      `${file} is a database in use, not a backup: what was written last is in ${file}-wal.`,
      'Make a backup of it with `holdfast backup --data DIR` and restore that; nothing was changed.',
    )
  }
  try {
    return { file, bytes: found.size, ...(await contentsOf(file)) }
  } catch (error) {
    throw new StartFailure(
      `${file} is damaged, or no backup of Holdfast’s.`,
      'Use another one; nothing was changed.',
      {
        cause: error,
      },
    )
  }
}

export async function inspectTarget({ data, database_url: url }: ConfigValues): Promise<Target> {
  const hasFiles = [conversationsFolder(data), projectsFolder(data)].some((folder) =>
    existsSync(folder),
  )
  if (url) {
    const { connectionOptions } = await import('../store/postgres/connection-options.ts')
    // Only an empty database is restored into; that is checked during the restore.
    return { place: `PostgreSQL at ${connectionOptions(url).address}`, contents: null, hasFiles }
  }
  const file = databaseFile(data)
  if (!existsSync(file)) return { place: data, contents: null, hasFiles }
  return {
    place: data,
    contents: await contentsOf(file).catch(() => 'unreadable' as const),
    hasFiles,
  }
}

interface RestoreOptions {
  /** Does not keep the existing database. */
  readonly replace: boolean
  readonly warn: (message: string) => void
}

export async function restoreFrom(
  fromFile: string,
  config: ConfigValues,
  { replace, warn }: RestoreOptions,
): Promise<RestoredStore> {
  const { data, database_url: url } = config
  const keyId = (await readSeals(config))?.keyId
  const readRestored = async (reader: Reader) => ({
    ...(await readContents(reader)),
    agentsWithoutKeys: await agentsWithoutKeys(reader, keyId),
    sealingKeyFile: sealingKeyFile(config),
  })
  if (url) {
    const { restorePostgres } = await import('../store/postgres/backup.ts')
    const { readPostgres } = await import('../store/postgres/backup.ts')
    const { connectionOptions } = await import('../store/postgres/connection-options.ts')
    try {
      await restorePostgres(fromFile, url)
      const place = `PostgreSQL at ${connectionOptions(url).address}`
      return { place, keptAt: null, ...(await readPostgres(url, readRestored)) }
    } catch (error) {
      throw await explainPostgres(url, error)
    }
  }
  const { restoreSqlite } = await import('../store/sqlite/backup.ts')
  // CF2: files created in the folder are readable by their owner only.
  const umask = process.umask(0o077)
  try {
    const { movedAside } = await restoreSqlite(fromFile, data, warn)
    await unmarkMoved(data)
    const file = databaseFile(data)
    const { readSqlite } = await import('../store/sqlite/backup.ts')
    const contents = await readSqlite(file, readRestored)
    if (movedAside && replace)
      for (const end of ['', '-wal', '-shm']) await rm(`${movedAside}${end}`, { force: true })
    return { place: data, keptAt: replace ? null : movedAside, ...contents }
  } catch (error) {
    throw explainSqlite(databaseFile(data), error as Error)
  } finally {
    process.umask(umask)
  }
}

async function contentsOf(file: string): Promise<Contents> {
  const { readSqlite } = await import('../store/sqlite/backup.ts')
  return readSqlite(file, readContents)
}

/** Uses columns of the first version only, so that older databases can be read. */
async function readContents(reader: Reader): Promise<Contents> {
  const count = async (table: 'events' | 'projects'): Promise<number> => {
    const [row] = await reader.query<{ n: number | string | bigint }>((db) =>
      db.selectFrom(table).select(({ fn }) => fn.countAll().as('n')),
    )
    return Number(row?.n ?? 0)
  }
  const [last] = await reader.query<{ at: string | null }>((db) =>
    db.selectFrom('events').select(({ fn }) => fn.max('at').as('at')),
  )
  const meta = async (key: 'incarnation' | 'backed_up_at') =>
    (await reader.first(selectMeta, { key }))?.value ?? null
  const incarnation = await meta('incarnation')
  if (incarnation === null) throw new Error('It does not say who it is')
  return {
    events: await count('events'),
    projects: await count('projects'),
    lastEventAt: last?.at ?? null,
    backedUpAt: await meta('backed_up_at'),
    incarnation,
  }
}
