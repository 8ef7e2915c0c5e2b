/**
 * Backup and restore as the command line asks for them: of the database the configuration names, whichever engine it is on.
 * They open it themselves, beside a server that may be using it: a backup reads one snapshot and waits for nobody, a restore
 * refuses a folder that is in use. Never writes over a database without having said what it held.
 */
import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { explainPostgres, explainSqlite } from '../compose/explain-store.ts'
import { conversationsFolder, databaseFile, projectsFolder } from '../platform/data-folder.ts'
import { requireNotMoved, unmarkMoved } from '../platform/moved-mark.ts'
import { readSeals, sealingKeyFile } from '../platform/sealing-key.ts'
import { StartFailure } from '../platform/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { type AgentWithoutKeys, agentsWithoutKeys } from '../services/agents/queries.ts'
import { selectMeta } from '../store/meta.ts'
import type { Reader } from '../store/store.ts'

/** What a database holds, for whoever is about to replace it, or has just been given it. */
export interface Contents {
  readonly events: number
  readonly projects: number
  /** null: nothing has ever happened in it. */
  readonly lastEventAt: string | null
  /** null: it is no backup. */
  readonly backedUpAt: string | null
  readonly incarnation: string
}

export interface Backup extends Contents {
  readonly file: string
  readonly bytes: number
}

/** Where a restore would go, and what is there: null nothing, 'unreadable' something nobody can read any more. */
export interface Target {
  readonly place: string
  readonly contents: Contents | 'unreadable' | null
  /** The data folder has files that were written from a database before: they may say more than the backup does (CK4). */
  readonly hasFiles: boolean
}

export interface RestoredStore extends Contents {
  readonly place: string
  /** The database that was there before; null when there was none, or it was not to be kept. */
  readonly keptAt: string | null
  /** SE12: those whose values are sealed with a key that is not here. */
  readonly agentsWithoutKeys: readonly AgentWithoutKeys[]
  /** Where that key belongs. */
  readonly sealingKeyFile: string
}

export async function backUp({ data, database_url: url }: ConfigValues, toFile: string): Promise<Backup> {
  if (url) {
    const { backupPostgres } = await import('../store/postgres/backup.ts')
    await backupPostgres(url, toFile).catch(async (error: unknown) => {
      throw await explainPostgres(url, error)
    })
  } else {
    const { backupSqlite } = await import('../store/sqlite/backup.ts')
    const file = databaseFile(data)
    if (!existsSync(file)) throw new StartFailure(`There is no database in ${data}.`, 'Name the folder with --data DIR.')
    await requireNotMoved(data)
    await backupSqlite(file, toFile).catch((error: Error) => {
      throw explainSqlite(file, error)
    })
  }
  return lookAtBackup(toFile)
}

export async function lookAtBackup(file: string): Promise<Backup> {
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile())
    throw new StartFailure(`There is no backup ${file}.`, 'Check its name; nothing was changed.', { exitCode: 2 })
  // What is in there would be left behind: a backup is one file, a database that is in use is not.
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
    throw new StartFailure(`${file} is damaged, or no backup of Holdfast’s.`, 'Use another one; nothing was changed.', {
      cause: error,
    })
  }
}

export async function lookAtTarget({ data, database_url: url }: ConfigValues): Promise<Target> {
  const hasFiles = [conversationsFolder(data), projectsFolder(data)].some((folder) => existsSync(folder))
  if (url) {
    const { connectionOptions } = await import('../store/postgres/connection-options.ts')
    // Only an empty one is restored into, and whether it is empty is asked where it counts.
    return { place: `PostgreSQL at ${connectionOptions(url).address}`, contents: null, hasFiles }
  }
  const file = databaseFile(data)
  if (!existsSync(file)) return { place: data, contents: null, hasFiles }
  return { place: data, contents: await contentsOf(file).catch(() => 'unreadable' as const), hasFiles }
}

interface RestoreOptions {
  /** Do not keep the database that is there. */
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
    const { restorePostgres } = await import('../store/postgres/backup-restore.ts')
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
  const { restoreSqlite } = await import('../store/sqlite/backup-restore.ts')
  // CF2: whatever we or SQLite create in the folder is its owner's alone.
  const umask = process.umask(0o077)
  try {
    const { movedAside } = await restoreSqlite(fromFile, data, warn)
    await unmarkMoved(data)
    const file = databaseFile(data)
    const { readSqlite } = await import('../store/sqlite/backup.ts')
    const contents = await readSqlite(file, readRestored)
    if (movedAside && replace) for (const end of ['', '-wal', '-shm']) await rm(`${movedAside}${end}`, { force: true })
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

/** The columns it asks for have been there since the first version: older databases can be looked at as well. */
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
  const meta = async (key: 'incarnation' | 'backed_up_at') => (await reader.first(selectMeta, { key }))?.value ?? null
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
