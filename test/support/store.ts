/** Real stores for tests: SQLite on a folder of its own, with a clock the test turns. Closed and removed when the test ends. */
import { randomUUID } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { inject, onTestFinished } from 'vitest'
import { type Instant, instant } from '../../src/domain/instant.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { startWarmWriter } from './warm-writers.ts'

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
  const file = join(folder, 'holdfast.db')
  if (options.folder === undefined) makeEmptyStore(file, instant(clock.now()))
  const store = await openSqliteStore({
    file,
    clock,
    writerUrl: bundled(options.writerUrl ?? productWriter),
    startThread: startWarmWriter,
  })
  onTestFinished(() => store.close())
  return { store, clock, folder }
}

/** A copy of the one that was made before the tests, as another store. */
function makeEmptyStore(file: string, now: Instant): void {
  copyFileSync(inject('emptyStore'), file)
  const db = new DatabaseSync(file)
  db.exec('pragma synchronous = off')
  const set = db.prepare('update meta set value = ? where key = ?')
  set.run(randomUUID(), 'store_id')
  set.run(randomUUID(), 'incarnation')
  set.run(now, 'created_at')
  db.close()
}

/** The same entry in one file (bundle-writers.ts). */
export function bundled(writerUrl: URL): URL {
  const bundle = inject('writers')[writerUrl.href]
  if (!bundle) throw new Error(`${writerUrl} is not among the writers that bundle-writers.ts bundles`)
  return new URL(bundle)
}
