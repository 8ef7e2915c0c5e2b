/**
 * Builds the store from the files beside it (CK4): what is missing in it, and nothing that is there. For the day the database is
 * gone. Work sessions and conversations that cannot be read are told and passed over; the others come back.
 */
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ownerId } from '../domain/credential/who.ts'
import { Refusal } from '../domain/errors.ts'
import { conversationsFolder, prepareDataFolder, projectsFolder } from '../platform/data-folder.ts'
import { lockDataFolder } from '../platform/data-lock.ts'
import type { Logger } from '../platform/logger.ts'
import { conversationFilesIn } from '../platform/saved-conversations.ts'
import { readSavedWorkSession, type SavedArtifact, type SavedWorkSession } from '../platform/saved-work-session.ts'
import { StartFailure } from '../platform/start-failure.ts'
import type { ConfigValues } from '../protocol/config.ts'
import { readWorkSession } from '../protocol/files/read-work-session.ts'
import type { NotRestored } from '../protocol/resume.ts'
import { restoreWorkSession } from '../services/restore-work-session.ts'
import type { Store } from '../store/store.ts'
import { openStore } from './open-store.ts'
import { restoreArtifact } from './restore-artifact.ts'
import { takeInFiles } from './take-in-conversations.ts'

export interface Rebuilt {
  readonly workSessions: number
  readonly tasks: number
  readonly approvals: number
  readonly approaches: number
  readonly artifacts: number
  readonly conversations: number
  readonly notRestored: readonly (NotRestored & { readonly workSessionId: string })[]
  /** Folders and files that were passed over, and why. */
  readonly unreadable: readonly { readonly folder: string; readonly why: string }[]
}

interface Asked {
  /** Where `projects/` and `conversations/` lie. */
  readonly from: string
  readonly logger: Logger
  readonly onWorkSession?: (done: number) => void
}

export async function rebuildStore(config: ConfigValues, { from, logger, onWorkSession }: Asked): Promise<Rebuilt> {
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
      const { conversations, skipped } = await takeInFiles(store, files, config.data)
      const unreadable = skipped.map(({ file, why }) => ({ folder: join(conversationsFolder(from), file), why }))
      return { ...brought, conversations, unreadable: [...brought.unreadable, ...unreadable] }
    } finally {
      await store.close()
    }
  } finally {
    process.umask(umask)
    lock?.release()
  }
}

/** The oldest first, as their ids tell: whoever was resumed comes after the one it came from. */
async function workSessionFolders(projects: string): Promise<string[]> {
  const below = async (folder: string): Promise<string[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  }
  const found: { id: string; folder: string }[] = []
  for (const project of await below(projects))
    for (const id of await below(join(projects, project, 'sessions')))
      found.push({ id, folder: join(projects, project, 'sessions', id) })
  return found.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ folder }) => folder)
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
      const { restored, told, workSessionId, artifacts } = await bringOne(store, saved)
      sum.workSessions++
      sum.tasks += restored.tasks
      sum.approvals += restored.approvals
      sum.approaches += restored.approaches
      sum.artifacts += artifacts
      notRestored.push(...told.map((each) => ({ ...each, workSessionId })))
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof StartFailure)) throw error
      unreadable.push({ folder, why: error.message })
    }
    onWorkSession?.(sum.workSessions)
  }
  return { ...sum, notRestored, unreadable }
}

async function bringOne(store: Store, { files, artifacts }: SavedWorkSession) {
  const { project_id: projectId = '', session_id: workSessionId = '' } = files.checkpoint as Record<string, string>
  const place = { projectId, workSessionId }
  const { restored, notRestored: told } = await store.run(restoreWorkSession, { ...place, files, by: ownerId })
  const facts = readWorkSession(files).rows?.artifacts ?? []
  let brought = 0
  for (const artifact of artifacts) {
    try {
      const its = facts.find(({ name }) => name === artifact.name)
      if (await restoreArtifact(store, { ...place, name: artifact.name }, its, bytesOf(artifact), ownerId)) brought++
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      told.push({ what: 'artifact', detail: `${artifact.name}: ${error.message}` })
    }
  }
  return { restored, told, workSessionId, artifacts: brought }
}

async function* bytesOf({ path }: SavedArtifact): AsyncGenerator<Buffer> {
  const file = await open(path, 'r')
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk as Buffer
  } finally {
    await file.close()
  }
}
