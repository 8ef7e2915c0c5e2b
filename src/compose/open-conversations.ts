/**
 * Builds the store under `createConversations`: a folder that no server and no other program uses meanwhile, or a PostgreSQL that
 * any number may share. Changes nothing about the process it lives in.
 */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { libraryId } from '../domain/credential/who.ts'
import { type Conversations, conversationsOn } from '../embedded/conversations.ts'
import type { ConversationsOptions } from '../embedded/options.ts'
import { databaseFile, prepareDataFolder } from '../platform/data-folder.ts'
import { lockDataFolder } from '../platform/data-lock.ts'
import { openStore } from './open-store.ts'

const silent = { info: () => {} }

export async function openConversations({ by = libraryId, ...place }: ConversationsOptions): Promise<Conversations> {
  if (place.databaseUrl !== undefined) {
    const store = await openStore({ data: '', database_url: place.databaseUrl }, silent)
    return conversationsOn(store, by, () => store.close())
  }
  const data = resolve(place.data)
  await prepareDataFolder(data, (message) => process.emitWarning(message))
  const lock = lockDataFolder(data)
  try {
    // CF2: its owner's alone, whatever the umask of the program; what SQLite makes beside it is as it is.
    await (await open(databaseFile(data), 'a', 0o600)).close()
    const store = await openStore({ data, database_url: null }, silent)
    return conversationsOn(store, by, async () => {
      await store.close()
      lock.release()
    })
  } catch (error) {
    lock.release()
    throw error
  }
}
