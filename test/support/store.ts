/** Real stores for tests: SQLite on a folder of its own, with a clock the test turns. Closed and removed when the test ends. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'

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
  const store = await openSqliteStore({ file, clock, writerUrl: bundled(options.writerUrl ?? productWriter) })
  onTestFinished(() => store.close())
  return { store, clock, folder }
}

/** The same entry in one file (bundle-writers.ts). */
export function bundled(writerUrl: URL): URL {
  const bundle = inject('writers')[writerUrl.href]
  if (!bundle) throw new Error(`${writerUrl} is not among the writers that bundle-writers.ts bundles`)
  return new URL(bundle)
}
