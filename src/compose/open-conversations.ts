/**
 * Builds the store under `createConversations`: a folder that no server and no other program uses meanwhile, or a PostgreSQL that
 * any number may share. Changes nothing about the process it lives in.
 */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { libraryId } from '../domain/credential/who.ts'
import { type Conversations, conversationsOn } from '../embedded/conversations.ts'
import type { ConversationsOptions } from '../embedded/options.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { saveConversation } from '../mirror/files-beside.ts'
import { Mirror } from '../mirror/mirror.ts'
import { systemClock } from '../platform/clock.ts'
import { databaseFile, prepareDataFolder } from '../platform/data-folder.ts'
import { lockDataFolder } from '../platform/data-lock.ts'
import { openStore } from './open-store.ts'
import { takeInAtStart } from './take-in-conversations.ts'

const silent = { info: () => {} }
/** A program that embeds us has its own log: it is told what matters as a warning of the process. */
const quiet = { info: () => {}, warn: ({ error }: { error: string }) => process.emitWarning(error, 'HoldfastWarning') }

export async function openConversations({ by = libraryId, ...place }: ConversationsOptions): Promise<Conversations> {
  if (place.databaseUrl !== undefined) {
    const store = await openStore({ data: '', database_url: place.databaseUrl }, silent)
    return conversationsOn(store, { by, save: null, close: () => store.close() })
  }
  const data = resolve(place.data)
  await prepareDataFolder(data, (message) => process.emitWarning(message))
  const lock = lockDataFolder(data)
  try {
    // CF2: its owner's alone, whatever the umask of the program; what SQLite makes beside it is as it is.
    await (await open(databaseFile(data), 'a', 0o600)).close()
    const store = await openStore({ data, database_url: null }, silent)
    await takeInAtStart(store, data, (file, why) => process.emitWarning(`${file} was skipped: ${why}`, 'HoldfastWarning'))
    const mirror = new Mirror({ store, clock: systemClock, logger: quiet, folder: data, targets: [conversationFile] })
    mirror.start()
    const close = async (): Promise<void> => {
      await mirror.stop()
      await store.close()
      lock.release()
    }
    return conversationsOn(store, { by, save: (key) => saveConversation(mirror, store, data, key), close })
  } catch (error) {
    lock.release()
    throw error
  }
}
