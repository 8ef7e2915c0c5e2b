/** The store's contract on SQLite. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestStore } from '../support/store.ts'
import { storeContract } from './store-contract.ts'

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
