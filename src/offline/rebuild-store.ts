/**
 * Rebuilds the store from the files beside it (CK4), for a lost database. Adds what is missing and
 * changes nothing that exists. Unreadable work sessions and conversations are reported and skipped.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '../compose/open-store.ts'
import { Refusal } from '../domain/errors.ts'
import {
  conversationsFolder,
  prepareDataFolder,
  projectsFolder,
} from '../platform/files/data-folder.ts'
import { lockDataFolder } from '../platform/files/data-lock.ts'
import { conversationFilesIn } from '../platform/files/saved-conversations.ts'
import { readSavedWorkSession, youngestFirst } from '../platform/files/saved-work-session.ts'
import type { Logger } from '../platform/log/logger.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import type { NotRestored } from '../protocol/work/resume.ts'
import type { Store } from '../store/store.ts'
import { importFiles } from './import-conversations.ts'
import { restoreFromFolder } from './restore-from-folder.ts'

export interface Rebuilt {
  readonly workSessions: number
  readonly tasks: number
  readonly approvals: number
  readonly approaches: number
  readonly artifacts: number
  readonly conversations: number
  readonly notRestored: readonly (NotRestored & { readonly workSessionId: string })[]
  /** Skipped folders and files, with the reason. */
  readonly unreadable: readonly { readonly folder: string; readonly why: string }[]
}

interface Asked {
  /** Folder with `projects/` and `conversations/`. */
  readonly from: string
  readonly logger: Logger
  readonly onWorkSession?: (done: number) => void
}

export async function rebuildStore(
  config: ConfigValues,
  { from, logger, onWorkSession }: Asked,
): Promise<Rebuilt> {
  await prepareDataFolder(config.data, (message) => logger.warn(message))
  const lock = config.database_url ? undefined : lockDataFolder(config.data)
  const umask = process.umask(0o077)
  try {
    const folders = await workSessionFolders(projectsFolder(from))
    const files = await conversationFilesIn(conversationsFolder(from))
    if (folders.length === 0 && files.length === 0)
      throw new StartFailure(
        `There are no work sessions and no conversations in ${from}.`,
        'Name the folder that holds projects/ and conversations/.',
      )
    const store = await openStore(config, logger)
    try {
      const brought = await bringAll(store, folders, onWorkSession)
      const { conversations, skipped } = await importFiles(store, files, config.data)
      const unreadable = skipped.map(({ file, why }) => ({
        folder: join(conversationsFolder(from), file),
        why,
      }))
      return { ...brought, conversations, unreadable: [...brought.unreadable, ...unreadable] }
    } finally {
      await store.close()
    }
  } finally {
    process.umask(umask)
    lock?.release()
  }
}

/**
 * Lists the youngest generation of each project first, because it has the latest state of a task.
 */
async function workSessionFolders(projects: string): Promise<string[]> {
  const entries = await readdir(projects, { withFileTypes: true }).catch(() => [])
  const found: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory()))
    found.push(...(await youngestFirst(join(projects, name, 'sessions'))))
  return found
}

async function bringAll(
  store: Store,
  folders: readonly string[],
  onWorkSession?: (done: number) => void,
): Promise<Omit<Rebuilt, 'conversations'>> {
  const sum = { workSessions: 0, tasks: 0, approvals: 0, approaches: 0, artifacts: 0 }
  const notRestored: Rebuilt['notRestored'][number][] = []
  const unreadable: Rebuilt['unreadable'][number][] = []
  for (const folder of folders) {
    try {
      const saved = await readSavedWorkSession(folder)
      const { restored, missing, workSessionId, artifacts } = await restoreFromFolder(store, saved)
      sum.workSessions++
      sum.tasks += restored.tasks
      sum.approvals += restored.approvals
      sum.approaches += restored.approaches
      sum.artifacts += artifacts
      notRestored.push(...missing.map((each) => ({ ...each, workSessionId })))
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof StartFailure)) throw error
      unreadable.push({ folder, why: error.message })
    }
    onWorkSession?.(sum.workSessions)
  }
  return { ...sum, notRestored, unreadable }
}
