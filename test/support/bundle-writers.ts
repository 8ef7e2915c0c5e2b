/**
 * Runs once before the tests: bundles the entries of SQLite's writer thread, and makes a store with
 * nothing in it. Hundreds of tests open a store of their own: a thread that reads one file is ready
 * with a quarter of the processor time of one that reads two hundred, and a copy of a file is there
 * sooner than all its tables. The names say what is in the files, so a run never meets another's;
 * the folder is the same each time, so their compiled code is found again.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../../src/platform/time/clock.ts'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts'
import { startWarmWriter } from './warm-writers.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** From the URL of an entry to that of its bundle. */
    writers: Readonly<Record<string, string>>
    /** The file of a store with nothing in it. */
    emptyStore: string
  }
}

const keptMs = 24 * 3600 * 1000
const entries = {
  product: 'src/compose/writer.ts',
  contracts: 'test/store/writer.ts',
  chat: 'test/services/conversations/chat-writer.ts',
  work: 'test/services/work/work-writer.ts',
}

export async function setup({ config, provide }: TestProject): Promise<void> {
  const { root } = config
  const folder = join(root, 'node_modules', '.cache', 'holdfast-tests')
  const bundle = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    plugins: [serveManyStores(root)],
  })
  const { output } = await bundle.generate({
    format: 'esm',
    // What a .js file is would be found out by reading it.
    entryFileNames: '[name]-[hash].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()

  mkdirSync(folder, { recursive: true })
  const writers: Record<string, string> = {}
  for (const file of output) {
    if (file.type !== 'chunk') continue
    const path = join(folder, file.fileName)
    put(path, file.code)
    if (file.facadeModuleId)
      writers[pathToFileURL(file.facadeModuleId).href] = pathToFileURL(path).href
  }
  clearOld(folder)
  provide('writers', writers)
  provide(
    'emptyStore',
    await emptyStore(folder, writers[pathToFileURL(join(root, entries.product)).href] ?? ''),
  )
}

/**
 * The entries are as they are; the thread they run in goes on after its store is closed
 * (warm-writer-thread.ts).
 */
function serveManyStores(root: string): Plugin {
  const warm = join(root, 'test/support/warm-writer-thread.ts')
  return {
    name: 'serve-many-stores',
    resolveId: (source, importer) =>
      source.endsWith('/store/sqlite/writer-thread.ts') && importer !== warm ? warm : null,
  }
}

/** Named after the writer that made it, which knows every table. */
async function emptyStore(folder: string, writer: string): Promise<string> {
  const file = join(folder, `${basename(writer)}.db`)
  if (existsSync(file)) {
    utimesSync(file, new Date(), new Date())
    return file
  }
  const made = `${file}.${process.pid}`
  const store = await openSqliteStore({
    file: made,
    clock: systemClock,
    writerUrl: new URL(writer),
    startThread: startWarmWriter,
  })
  // The last one out folds the log into the file.
  await store.close()
  renameSync(made, file)
  return file
}

/** Whole or not there: another run may be reading it. */
function put(path: string, code: string): void {
  if (existsSync(path)) return utimesSync(path, new Date(), new Date())
  writeFileSync(`${path}.${process.pid}`, code)
  renameSync(`${path}.${process.pid}`, path)
}

function clearOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > keptMs) rmSync(file, { recursive: true, force: true })
  }
}
