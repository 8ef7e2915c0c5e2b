/**
 * Builds the store under `createConversations`: a folder that no server and no other program uses meanwhile, or a PostgreSQL that
 * any number may share. Changes nothing about the process it lives in.
 */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { libraryId } from '../domain/access/who.ts'
import type { CutoverRule } from '../domain/conversations/logical-day.ts'
import { Refusal } from '../domain/errors.ts'
import { type Conversations, conversationsOn } from '../embedded/conversations.ts'
import type { ConversationsOptions } from '../embedded/options.ts'
import { Cutover, noteDays, noteFiles } from '../jobs/cutover.ts'
import { runPeriodically } from '../jobs/periodic-job.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { Mirror } from '../mirror/mirror.ts'
import { saveConversation } from '../mirror/mirrored-files.ts'
import { importAtStart } from '../offline/import-conversations.ts'
import { systemClock } from '../platform/clock.ts'
import { databaseFile, prepareDataFolder } from '../platform/data-folder.ts'
import { lockDataFolder } from '../platform/data-lock.ts'
import { zoneOf } from '../platform/local-zone.ts'
import { parseConfigValue } from '../protocol/config.ts'
import { setCutoverRule } from '../services/conversations/cut-over-conversation.ts'
import { openStore } from './open-store.ts'

const silent = { info: () => {} }
/** A program that embeds us has its own log: it is told what matters as a warning of the process. */
const quiet = {
  info: () => {},
  warn: ({ error }: { readonly error?: unknown }) => process.emitWarning(String(error), 'HoldfastWarning'),
}

export async function openConversations({ by = libraryId, cutover, ...place }: ConversationsOptions): Promise<Conversations> {
  const rule = cutover && ruleOf(cutover)
  if (place.databaseUrl !== undefined) {
    const store = await openStore({ data: '', database_url: place.databaseUrl }, silent)
    if (rule) await store.run(setCutoverRule, { ...rule, source: 'configuration' })
    // The notes are written by the servers that share it.
    return conversationsOn(store, { by, save: null, noted: async () => {}, close: () => store.close() })
  }
  const data = resolve(place.data)
  await prepareDataFolder(data, (message) => process.emitWarning(message))
  const lock = lockDataFolder(data)
  try {
    // CF2: its owner's alone, whatever the umask of the program; what SQLite makes beside it is as it is.
    await (await open(databaseFile(data), 'a', 0o600)).close()
    const store = await openStore({ data, database_url: null }, silent)
    if (rule) await store.run(setCutoverRule, { ...rule, source: 'configuration' })
    await importAtStart(store, data, (file, why) => process.emitWarning(`${file} was skipped: ${why}`, 'HoldfastWarning'))
    const mirror = new Mirror({
      store,
      clock: systemClock,
      logger: quiet,
      folder: data,
      targets: [conversationFile, noteFiles(store)],
    })
    mirror.start()
    // The server's own close: at the boundary, also of days that ended while nobody had the folder open (DC7).
    const days = new Cutover({ store, logger: quiet })
    const stopDays = runPeriodically(days, { clock: systemClock, logger: quiet })
    const close = async (): Promise<void> => {
      await stopDays()
      await noteDays(store)
      await mirror.stop()
      await store.close()
      lock.release()
    }
    const save = (key: string): Promise<string> => saveConversation(mirror, store, data, key)
    return conversationsOn(store, { by, save, noted: () => noteDays(store), close })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The same values as a server's settings may have; refused in the same words. */
function ruleOf({ hour, timezone }: NonNullable<ConversationsOptions['cutover']>): Partial<CutoverRule> {
  const value = (key: 'cutover.hour' | 'cutover.timezone', given: unknown): unknown => {
    const parsed = parseConfigValue(key, given)
    if ('problem' in parsed) throw new Refusal('invalid_request', parsed.problem, { field: key })
    return parsed.value
  }
  return {
    ...(hour !== undefined && { hour: value('cutover.hour', hour) as number | null }),
    ...(timezone !== undefined && { timezone: zoneOf(value('cutover.timezone', timezone) as string) }),
  }
}
