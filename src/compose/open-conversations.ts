/**
 * Builds the store for `createConversations`: a data folder of its own, or a shared PostgreSQL.
 * Leaves the process as it is.
 */
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { libraryId } from '../domain/access/caller.ts'
import type { CutoverRule } from '../domain/conversations/chapter.ts'
import { Refusal } from '../domain/errors.ts'
import { type Conversations, conversationsOn } from '../embedded/conversations.ts'
import type { ConversationsOptions } from '../embedded/options.ts'
import { dueChapters, noteDays, noteFiles } from '../jobs/cutover.ts'
import { runPeriodically } from '../jobs/due-work.ts'
import { conversationFile } from '../mirror/conversation-file.ts'
import { Mirror } from '../mirror/mirror.ts'
import { saveConversation } from '../mirror/mirrored-files.ts'
import { importAtStart } from '../offline/import-conversations.ts'
import { databaseFile, prepareDataFolder } from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-lock.ts'
import { systemClock } from '../platform/time/clock.ts'
import { zoneOf } from '../platform/time/local-zone.ts'
import { parseConfigValue } from '../protocol/config-parsing.ts'
import { setCutoverRule } from '../services/conversations/chapters.ts'
import { openStore } from './open-store.ts'

const silent = { info: () => {} }
/** Logger of an embedding program: warnings become process warnings. */
const warningsOnly = {
  info: () => {},
  warn: ({ error }: { readonly error?: unknown }) =>
    process.emitWarning(String(error), 'HoldfastWarning'),
}

export async function openConversations({
  by = libraryId,
  cutover,
  ...place
}: ConversationsOptions): Promise<Conversations> {
  const rule = cutover && ruleOf(cutover)
  if (place.databaseUrl !== undefined) {
    const store = await openStore({ data: '', database_url: place.databaseUrl }, silent)
    if (rule) await store.run(setCutoverRule, { ...rule, source: 'configuration' })
    // Notes are written by the servers that share the database.
    return conversationsOn(store, {
      by,
      save: null,
      noted: async () => {},
      close: () => store.close(),
    })
  }
  const data = resolve(place.data)
  await prepareDataFolder(data, (message) => process.emitWarning(message))
  const lock = lockDataFolder(data)
  try {
    // CF2: readable by its owner only, whatever the program's umask; SQLite creates its other files
    // with the same mode.
    await (await open(databaseFile(data), 'a', 0o600)).close()
    const store = await openStore({ data, database_url: null }, silent)
    if (rule) await store.run(setCutoverRule, { ...rule, source: 'configuration' })
    await importAtStart(store, data, (file, why) =>
      process.emitWarning(`${file} was skipped: ${why}`, 'HoldfastWarning'),
    )
    const mirror = new Mirror({
      store,
      clock: systemClock,
      logger: warningsOnly,
      folder: data,
      targets: [conversationFile, noteFiles(store)],
    })
    mirror.start()
    // Closes days like a server, also days that ended while no process had the folder open (DC7).
    const stops = dueChapters({ store, logger: warningsOnly }).map((work) =>
      runPeriodically(work, { clock: systemClock, logger: warningsOnly }),
    )
    const close = async (): Promise<void> => {
      await Promise.all(stops.map((stop) => stop()))
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

/** Validates the rule like a server's settings, with the same messages. */
function ruleOf({
  hour,
  timezone,
}: NonNullable<ConversationsOptions['cutover']>): Partial<CutoverRule> {
  const value = (key: 'cutover.hour' | 'cutover.timezone', given: unknown): unknown => {
    const parsed = parseConfigValue(key, given)
    if ('problem' in parsed) throw new Refusal('invalid_request', parsed.problem, { field: key })
    return parsed.value
  }
  return {
    ...(hour !== undefined && { hour: value('cutover.hour', hour) as number | null }),
    ...(timezone !== undefined && {
      timezone: zoneOf(value('cutover.timezone', timezone) as string),
    }),
  }
}
