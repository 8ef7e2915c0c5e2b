/**
 * Real stores for tests: SQLite on a folder of its own, with a clock the test turns. Closed and
 * removed when the test ends. With `TEST_STORE=postgres` a PostgreSQL instead, to see before a
 * release that use cases do there what they do on SQLite.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished } from 'vitest'
import { instant } from '../../src/domain/instant.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { makeEmptyStore } from './empty-store.ts'
import { amount } from './extent.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { newPostgresStoreUrl } from './postgres.ts'
import { openPostgres } from './postgres-store.ts'
import { startWarmWriter, startWatchedWriter } from './warm-writers.ts'

export interface TestStore {
  readonly store: Store
  readonly clock: ManualClock
  readonly folder: string
}

export interface TestStoreOptions {
  readonly clock?: ManualClock
  /** An existing folder: opens what is there. */
  readonly folder?: string
  /** The entry of the writer thread; the product's own use cases when left out. */
  readonly writerUrl?: URL
}

const productWriter = new URL('../../src/compose/writer.ts', import.meta.url)

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function openTestStore(options: TestStoreOptions = {}): Promise<TestStore> {
  const clock = options.clock ?? manualClock()
  const folder = options.folder ?? (await temporaryFolder())
  if (process.env['TEST_STORE'] === 'postgres')
    return { store: await openOnPostgres(clock, folder), clock, folder }
  const file = join(folder, 'holdfast.db')
  if (!existsSync(file)) makeEmptyStore(file, instant(clock.now()))
  const store = await openSqliteStore({
    file,
    clock,
    writerUrl: bundled(options.writerUrl ?? productWriter),
    startThread: isWatched() ? startWatchedWriter((each) => unlocked.add(each)) : startWarmWriter,
  })
  onTestFinished(async () => {
    await store.close()
    refuseUnlocked()
  })
  return { store, clock, folder }
}

const urls = new Map<string, string>()

/** The same one each time for the same folder. */
async function openOnPostgres(clock: ManualClock, folder: string): Promise<Store> {
  const url = urls.get(folder) ?? (await newPostgresStoreUrl())
  urls.set(folder, url)
  return openPostgres({ url, clock })
}

/** What use cases read or wrote without a lock of its owner, since the last look. */
const unlocked = new Set<string>()

/** `TEST_UNLOCKED=FILE` watches everywhere, and gathers what is found in a file. */
const gatheredIn = process.env['TEST_UNLOCKED']

/**
 * Each use case runs twice and is watched where that shows most for its time, and everywhere before
 * a release.
 */
const isWatched = (): boolean =>
  gatheredIn !== undefined ||
  amount(expect.getState().testPath?.includes('/test/services/') ?? false, true)

function refuseUnlocked(): void {
  const found = [...unlocked]
  unlocked.clear()
  if (found.length === 0) return
  if (gatheredIn) return appendFileSync(gatheredIn, found.map((each) => `${each}\n`).join(''))
  throw new Error(
    `${found.join(', ')}: without the lock of a stream that owns the row (test/support/row-owners.ts). Lock it, or add it to unlocked-rows.json and say why it needs none.`,
  )
}

/** The same entry in one file (bundle-writers.ts). */
export function bundled(writerUrl: URL): URL {
  const bundle = inject('writers')[writerUrl.href]
  if (!bundle)
    throw new Error(`${writerUrl} is not among the writers that bundle-writers.ts bundles`)
  return new URL(bundle)
}
