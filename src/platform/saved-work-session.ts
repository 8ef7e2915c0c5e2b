/**
 * A work session's folder on disk (CK2), read for whoever brings it back (CK4): each file as the JSON it holds. Understands nothing
 * of it, and follows no link out of the folder.
 */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { WorkSessionFiles } from '../protocol/work/read-work-session.ts'
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
/** Of the files in a folder that may be a checkpoint. */
const mostLookedAt = 100

/** The checkpoint that a path means: that file, whatever it is called, or the one in that folder. */
export async function findCheckpoint(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) return resolve(path)
  if (!found?.isDirectory())
    throw new StartFailure(found ? `${path} is neither a file nor a folder.` : `There is no file ${path}.`, nameAnother)
  const usual = resolve(path, checkpointFile)
  if ((await lstat(usual).catch(() => undefined))?.isFile()) return usual
  const [only, ...others] = await checkpointsIn(resolve(path))
  if (only === undefined) throw new StartFailure(`There is no checkpoint in ${path}.`, nameAnother)
  if (others.length === 0) return only
  const names = [only, ...others].map((file) => basename(file)).join(', ')
  throw new StartFailure(`There are several checkpoints in ${path}: ${names}.`, 'Name the one you mean; nothing was changed.')
}

/** Files of any name that say of themselves what a checkpoint says. */
async function checkpointsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort()
  const found: string[] = []
  for (const name of names.slice(0, mostLookedAt)) {
    const content = await readJson(join(folder, name)).catch(() => undefined)
    const { project_id, session_id, timestamp } = (content ?? {}) as Record<string, unknown>
    if ([project_id, session_id, timestamp].every((each) => typeof each === 'string')) found.push(join(folder, name))
  }
  return found
}

const nameAnother = `Name the ${checkpointFile} of a work session, whatever it is called by now, or its folder; nothing was changed.`

/** With what lies beside the checkpoint: beside one of another name, which may lie anywhere, only what says that it is of the same. */
export async function readSavedWorkSession(
  folder: string,
  file: string = join(folder, checkpointFile),
): Promise<SavedWorkSession> {
  const checkpoint = await readJson(file)
  if (checkpoint === undefined)
    throw new StartFailure(`There is no ${basename(file)} in ${folder}.`, 'Name another folder; nothing was changed.')
  const isUsual = basename(file) === checkpointFile
  const files: Record<string, unknown> = { checkpoint }
  for (const [name, { path, idIn }] of Object.entries(companions)) {
    const content = await readJson(join(folder, path)).catch((error: unknown) => {
      if (isUsual) throw error
    })
    const [idOf, checkpointId] = [idIn(content ?? {}), idsIn(checkpoint)[name === 'project' ? 'project_id' : 'session_id']]
    if (content !== undefined && (isUsual || idOf === checkpointId)) files[name] = content
  }
  const hasArtifacts = isUsual || files['workSession'] !== undefined
  return { folder, files: files as WorkSessionFiles, artifacts: hasArtifacts ? await artifactsIn(join(folder, 'artifacts')) : [] }
}

interface Ids {
  readonly id?: unknown
  readonly project_id?: unknown
  readonly session_id?: unknown
  readonly work_session?: { readonly id?: unknown }
}

const idsIn = (content: unknown): Ids => (content ?? {}) as Ids

/** Where each lies, and where it says of what it is. */
const companions = {
  project: { path: '../../project.json', idIn: (content: Ids) => content.id },
  approaches: { path: 'approaches.json', idIn: (content: Ids) => content.session_id },
  remainingTasks: { path: 'remaining_tasks.json', idIn: (content: Ids) => content.session_id },
  workSession: { path: 'work_session.json', idIn: (content: Ids) => content.work_session?.id },
} as const

/** Folders beside one another that are looked through for who was resumed from whom. */
const mostSiblings = 100_000

/**
 * The folders of a work session and its kin, as far as they lie beside it: those that come from it first, the youngest generation foremost, then
 * itself, then those it comes from (CK4). What became of a task is known to the last one that had it.
 */
export async function foldersOfKin({ folder }: SavedWorkSession): Promise<string[]> {
  const beside = dirname(folder)
  const parents = await parentsIn(beside)
  const byParent = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? null)
  const own = basename(folder)
  const line = new Set([own])
  for (const id of line) for (const child of byParent.get(id) ?? []) line.add(child)
  const kin = [...line].reverse()
  for (let id = parents.get(own); id != null && parents.has(id) && !line.has(id); id = parents.get(id)) {
    line.add(id)
    kin.push(id)
  }
  return kin.map((id) => join(beside, id))
}

/** Youngest generation first, whatever the folder. */
export async function youngestFirst(beside: string): Promise<string[]> {
  const parents = await parentsIn(beside)
  const depthOf = (id: string): number => {
    const seen = new Set([id])
    for (let at = parents.get(id); at != null && parents.has(at) && !seen.has(at); at = parents.get(at)) seen.add(at)
    return seen.size
  }
  const ids = [...parents.keys()].map((id) => ({ id, depth: depthOf(id) }))
  return ids.sort((a, b) => b.depth - a.depth || (a.id < b.id ? -1 : 1)).map(({ id }) => join(beside, id))
}

/** Every folder of a work session there, with the one it was resumed from; null when that is not known. */
async function parentsIn(beside: string): Promise<Map<string, string | null>> {
  const entries = await readdir(beside, { withFileTypes: true }).catch(() => [])
  const parents = new Map<string, string | null>()
  for (const { name } of entries.filter((entry) => entry.isDirectory()).slice(0, mostSiblings))
    parents.set(name, await parentIn(join(beside, name)))
  return parents
}

/** One that cannot be read is kin of nobody; whoever wants it itself is told why. */
async function parentIn(folder: string): Promise<string | null> {
  const file = (await readJson(join(folder, 'work_session.json')).catch(() => undefined)) as
    | { work_session?: { parent_session_id?: unknown } }
    | undefined
  const id = file?.work_session?.parent_session_id
  return typeof id === 'string' && /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(id) ? id : null
}

async function artifactsIn(folder: string): Promise<SavedArtifact[]> {
  // A link would lead elsewhere.
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return []
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
