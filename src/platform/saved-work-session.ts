/**
 * A work session's folder on disk (CK2), read for whoever brings it back (CK4): each file as the JSON it holds. Understands nothing
 * of it, and follows no link out of the folder.
 */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { WorkSessionFiles } from '../protocol/files/read-work-session.ts'
import { StartFailure } from './start-failure.ts'

export interface SavedArtifact {
  readonly name: string
  readonly path: string
}

export interface SavedWorkSession {
  readonly folder: string
  readonly files: WorkSessionFiles
  readonly artifacts: readonly SavedArtifact[]
}

const checkpointFile = 'state_checkpoint.json'
const largestFileBytes = 256 * 1024 * 1024

/** The folder that a path means: of a checkpoint file, or itself. */
export async function folderOfCheckpoint(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined)
  const folder = found?.isDirectory() ? path : dirname(path)
  if (found?.isDirectory() || (found?.isFile() && basename(path) === checkpointFile)) return resolve(folder)
  throw new StartFailure(
    found ? `${path} is not a ${checkpointFile}.` : `There is no file ${path}.`,
    `Name the ${checkpointFile} of a work session, or its folder; nothing was changed.`,
  )
}

export async function readSavedWorkSession(folder: string): Promise<SavedWorkSession> {
  const checkpoint = await readJson(join(folder, checkpointFile))
  if (checkpoint === undefined)
    throw new StartFailure(`There is no ${checkpointFile} in ${folder}.`, 'Name another folder; nothing was changed.')
  const read = { project: '../../project.json', approaches: 'approaches.json', remainingTasks: 'remaining_tasks.json' }
  const files: Record<string, unknown> = { checkpoint }
  for (const [name, file] of Object.entries({ ...read, workSession: 'work_session.json' })) {
    const content = await readJson(join(folder, file))
    if (content !== undefined) files[name] = content
  }
  return { folder, files: files as WorkSessionFiles, artifacts: await artifactsIn(join(folder, 'artifacts')) }
}

/** Where the one lies that it was resumed from; undefined when that is not known, or not there. */
export async function parentFolder({ folder, files }: SavedWorkSession): Promise<string | undefined> {
  const { work_session: row } = (files.workSession ?? {}) as { work_session?: { parent_session_id?: unknown } }
  const id = row?.parent_session_id
  if (typeof id !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id)) return undefined
  const path = join(dirname(folder), id)
  return (await lstat(join(path, checkpointFile)).catch(() => undefined))?.isFile() ? path : undefined
}

async function artifactsIn(folder: string): Promise<SavedArtifact[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  // What begins with a dot is a file that was never finished.
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  return files.map(({ name }) => ({ name, path: join(folder, name) })).sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Undefined when there is no such file. */
async function readJson(path: string): Promise<unknown> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  if (found.size > largestFileBytes) throw unreadable(path, 'it is too large')
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw unreadable(path, error instanceof SyntaxError ? 'it is not JSON' : String(error))
  }
}

const unreadable = (path: string, why: string): StartFailure =>
  new StartFailure(`${path} cannot be read: ${why}.`, 'Mend it, or move it away to go on without it; nothing was changed.')
