/** The store's contract on SQLite. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestStore } from '../support/store.ts'
import { storeContract } from './store-contract.ts'
import { createRow } from './use-cases.ts'

const writerUrl = new URL('./writer.ts', import.meta.url)

storeContract('SQLite', async () => {
  const { store, clock, folder } = await openTestStore({ writerUrl })
  return {
    store,
    clock,
    reopen: async () => {
      await store.close()
      return (await openTestStore({ writerUrl, clock, folder })).store
    },
    bytes: async () => Buffer.concat(await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name))))),
  }
})

test('[RE3] a program that keeps the file locked is told of, and writing goes on when it lets go', async () => {
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
