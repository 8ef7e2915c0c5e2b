/** The store's contract on SQLite. */
import { readFileSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts'
import type { StartWriter } from '../../src/store/sqlite/writer-messages.ts'
import { bundled, openTestStore } from '../support/store.ts'
import { startWarmWriter } from '../support/warm-writers.ts'
import { lockContract } from './lock-contract.ts'
import { type OpenedStore, storeContract } from './store-contract.ts'
import { createRow } from './use-cases.ts'

const writerUrl = new URL('./writer.ts', import.meta.url)

const open = async (): Promise<OpenedStore> => {
  const { store, clock, folder } = await openTestStore({ writerUrl })
  return {
    store,
    clock,
    reopen: async () => {
      await store.close()
      return (await openTestStore({ writerUrl, clock, folder })).store
    },
    bytes: async () =>
      Buffer.concat(
        await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
      ),
  }
}

storeContract('SQLite', open)
lockContract('SQLite', open)

test('[RE3] a program that keeps the file locked is named, and writing goes on later', async () => {
  const { store, folder } = await openTestStore({ writerUrl })
  const other = new DatabaseSync(join(folder, 'holdfast.db'))
  other.exec('begin immediate')
  await expect(store.run(createRow, { id: 'a' })).rejects.toMatchObject({
    code: 'store_unavailable',
    message: 'Another program keeps the database locked',
  })
  other.exec('rollback')
  other.close()
  await store.run(createRow, { id: 'b' })
  await store.check()
  expect(await store.eventsAfter('project:b', 0, 10)).toHaveLength(1)
})

/**
 * Failed replies of the writer thread wait until they are let through: until then the server's side
 * does not know of the failure.
 */
function holdingFailures(): {
  readonly start: StartWriter
  readonly failed: Promise<void>
  letThrough(): void
} {
  const failed = Promise.withResolvers<void>()
  let hold: (() => void)[] | undefined = []
  const start: StartWriter = (entry, of) => {
    const thread = startWarmWriter(entry, of)
    const on = (event: string, listener: (text: string) => void): unknown =>
      thread.on(event as 'message', (text) => {
        if (event !== 'message' || !hold || !text.includes('"failure":{')) return listener(text)
        hold.push(() => listener(text))
        failed.resolve()
      })
    return { on, postMessage: (text) => thread.postMessage(text) }
  }
  const letThrough = (): void => {
    for (const each of hold ?? []) each()
    hold = undefined
  }
  return { start, failed: failed.promise, letThrough }
}

test('[RE3] a disk that failed once is not written again until the restart', async () => {
  const { store: first, clock, folder } = await openTestStore({ writerUrl })
  await first.close()
  const file = join(folder, 'holdfast.db')
  const thread = holdingFailures()
  const store = await openSqliteStore({
    file,
    clock,
    writerUrl: bundled(writerUrl),
    startThread: thread.start,
  })
  const whole = readFileSync(file)
  writeFileSync(file, Buffer.from(whole).fill(0xaa, 4096))
  const refused = {
    code: 'store_unavailable',
    message: expect.stringContaining('until the server is restarted'),
  }
  const met = expect(store.run(createRow, { id: 'a' })).rejects.toMatchObject(refused)
  await thread.failed
  // Whole again, and read anew because somebody has written: it would work, and is not to be
  // trusted all the same.
  writeFileSync(file, whole)
  const other = new DatabaseSync(file)
  other.exec("insert into meta (key, value) values ('x', 'x')")
  other.close()
  const behind = expect(store.run(createRow, { id: 'b' })).rejects.toMatchObject(refused)
  await new Promise((resolve) => setImmediate(resolve))
  thread.letThrough()
  await Promise.all([met, behind])
  await expect(store.run(createRow, { id: 'c' })).rejects.toMatchObject(refused)
  await expect(store.check()).rejects.toMatchObject(refused)
  await store.close()
  const { store: again } = await openTestStore({ writerUrl, clock, folder })
  await again.run(createRow, { id: 'd' })
  expect((await again.streamsAfter('', 10)).map(({ name }) => name)).toEqual(['project:d'])
})
