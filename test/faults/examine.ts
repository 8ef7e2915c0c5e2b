/**
 * Starts from a disk image as the server would: opens it with the product's connection and
 * migrations, lets the engine examine itself, asks the oracle, and proves that it can be written.
 * In one thread, because there are thousands of images.
 */
import { randomness } from '../../src/platform/secrets/randomness.ts'
import { createProject } from '../../src/services/projects/change-project.ts'
import { selectPosition } from '../../src/store/log/event-log.ts'
import { EngineReader } from '../../src/store/log/reader.ts'
import { runUseCase } from '../../src/store/log/run-use-case.ts'
import { migrate } from '../../src/store/migrate.ts'
import { SqliteConnection } from '../../src/store/sqlite/connection.ts'
import type { Store } from '../../src/store/store.ts'
import { openStoreOf, productFolder } from './build.ts'
import type { Ledger } from './ledger.ts'
import { type Findings, judge, noFindings } from './oracle.ts'
import { databaseIn, type Place } from './place.ts'
import { readStored } from './stored.ts'

const now = '2026-01-01T00:00:00.000Z'

export async function checkImage(folder: string, ledger: Ledger): Promise<Findings> {
  return withDatabase(folder, async (connection) => {
    const findings = await ask(connection, ledger)
    await writeOne(connection)
    return findings
  })
}

/** The same without writing: for a store that goes on afterwards. */
export async function examine(
  place: Place,
  ledger: Ledger,
  exact = true,
  alone = true,
): Promise<Findings> {
  if ('folder' in place)
    return withDatabase(place.folder, (connection) => ask(connection, ledger, exact))
  return withStore(place, async (store) =>
    judge(await store.read(readStored), ledger, exact, alone),
  )
}

/** On PostgreSQL, where there is no file to look at. */
export async function withStore(
  place: Place,
  work: (store: Store) => Promise<Findings>,
): Promise<Findings> {
  let store: Store | undefined
  try {
    store = await openStoreOf(productFolder, place)
    return await work(store)
  } catch (error) {
    return doesNotStart(error)
  } finally {
    await store?.close()
  }
}

const doesNotStart = (error: unknown): Findings => ({
  ...noFindings(),
  torn: [`It does not start: ${error instanceof Error ? error.stack : String(error)}`],
})

async function withDatabase(
  folder: string,
  work: (connection: SqliteConnection) => Promise<Findings>,
): Promise<Findings> {
  let connection: SqliteConnection | undefined
  try {
    connection = SqliteConnection.openWriter(databaseIn(folder))
    await migrate(connection, now, randomness.uuid)
    return await work(connection)
  } catch (error) {
    return doesNotStart(error)
  } finally {
    connection?.close()
  }
}

async function ask(connection: SqliteConnection, ledger: Ledger, exact = true): Promise<Findings> {
  const damage = connection
    .execute({ sql: 'pragma integrity_check', values: [] })
    .map((row) => String(row['integrity_check']))
  const findings = judge(await readStored(new EngineReader(connection)), ledger, exact)
  if (damage[0] !== 'ok') findings.torn.push(...damage)
  return findings
}

async function writeOne(connection: SqliteConnection): Promise<void> {
  await connection.transaction(async () => {
    const before =
      (await new EngineReader(connection).first(selectPosition, { name: 'home' }))?.head ?? 0
    const { heads } = await runUseCase(connection, createProject, {
      input: { name: 'afterwards', by: 'test' },
      now,
    })
    if (heads.get('home') !== before + 1)
      throw new Error(`home went from ${before} to ${heads.get('home')}`)
  })
}
