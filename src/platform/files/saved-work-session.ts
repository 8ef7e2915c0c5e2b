/**
 * Reads the folder of a work session from disk (CK2) so that it can be restored (CK4). Parses each
 * file as JSON without checking its content, and follows no link out of the folder.
 */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import {
  workSessionFileNames as fileNames,
  type WorkSessionFiles,
} from '../../protocol/work/read-work-session.ts'
import { FolderId, looksLikeCheckpoint } from '../../protocol/work/state-checkpoint.ts'
import { StartFailure } from '../processes/start-failure.ts'

export interface SavedArtifact {
  readonly name: string
  readonly path: string
}

export interface SavedWorkSession {
  readonly folder: string
  readonly files: WorkSessionFiles
  readonly artifacts: readonly SavedArtifact[]
}

const maxFileBytes = 256 * 1024 * 1024
/** The most JSON files of one folder that are searched for a checkpoint. */
const maxCandidates = 100

/**
 * Finds the checkpoint at a path: the file itself, whatever its name, or the only one in the
 * folder.
 */
export async function findCheckpoint(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) return resolve(path)
  if (!found?.isDirectory())
    throw new StartFailure(
      found ? `${path} is neither a file nor a folder.` : `There is no file ${path}.`,
      nameAnother,
    )
  const usual = resolve(path, fileNames.checkpoint)
  if ((await lstat(usual).catch(() => undefined))?.isFile()) return usual
  const [only, ...others] = await checkpointsIn(resolve(path))
  if (only === undefined) throw new StartFailure(`There is no checkpoint in ${path}.`, nameAnother)
  if (others.length === 0) return only
  const names = [only, ...others].map((file) => basename(file)).join(', ')
  throw new StartFailure(
    `There are several checkpoints in ${path}: ${names}.`,
    'Name the one you mean; nothing was changed.',
  )
}

/** Lists the JSON files of a folder that look like a checkpoint, whatever their names. */
async function checkpointsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
  const found: string[] = []
  for (const name of names.slice(0, maxCandidates)) {
    const content = await readJson(join(folder, name)).catch(() => undefined)
    if (looksLikeCheckpoint(content)) found.push(join(folder, name))
  }
  return found
}

const nameAnother = `Name the ${fileNames.checkpoint} of a work session, whatever it is called by now, or its folder; nothing was changed.`

/**
 * Reads a checkpoint and the files beside it. Of a checkpoint with another name, only files with
 * the same id belong to it.
 */
export async function readSavedWorkSession(
  folder: string,
  file: string = join(folder, fileNames.checkpoint),
): Promise<SavedWorkSession> {
  const checkpoint = await readJson(file)
  if (checkpoint === undefined)
    throw new StartFailure(
      `There is no ${basename(file)} in ${folder}.`,
      'Name another folder; nothing was changed.',
    )
  const isUsual = basename(file) === fileNames.checkpoint
  const files: Record<string, unknown> = { checkpoint }
  for (const [name, { path, idIn }] of Object.entries(companions)) {
    const content = await readJson(join(folder, path)).catch((error: unknown) => {
      if (isUsual) throw error
    })
    const [idOf, checkpointId] = [
      idIn(content ?? {}),
      idsIn(checkpoint)[name === 'project' ? 'project_id' : 'session_id'],
    ]
    if (content !== undefined && (isUsual || idOf === checkpointId)) files[name] = content
  }
  const hasArtifacts = isUsual || files['workSession'] !== undefined
  return {
    folder,
    files: files as WorkSessionFiles,
    artifacts: hasArtifacts ? await artifactsIn(join(folder, 'artifacts')) : [],
  }
}

interface Ids {
  readonly id?: unknown
  readonly project_id?: unknown
  readonly session_id?: unknown
  readonly work_session?: { readonly id?: unknown }
}

const idsIn = (content: unknown): Ids => (content ?? {}) as Ids

/**
 * The files beside a checkpoint: the path from its folder, and the id of the work session or
 * project that each one names.
 */
const companions = {
  project: { path: join('..', '..', fileNames.project), idIn: (content: Ids) => content.id },
  approaches: { path: fileNames.approaches, idIn: (content: Ids) => content.session_id },
  remainingTasks: { path: fileNames.remainingTasks, idIn: (content: Ids) => content.session_id },
  workSession: { path: fileNames.workSession, idIn: (content: Ids) => content.work_session?.id },
} as const

/** The most folders of work sessions that are read to find parents. */
const maxSiblings = 100_000

/**
 * Lists the folders of a work session and its relatives in the same parent folder (CK4): first its
 * descendants, youngest generation first, then itself, then its ancestors. The youngest work
 * session that had a task knows its latest state.
 */
export async function foldersOfLineage({ folder }: SavedWorkSession): Promise<string[]> {
  const beside = dirname(folder)
  const parents = await parentsIn(beside)
  const byParent = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? null)
  const own = basename(folder)
  const line = new Set([own])
  for (const id of line) for (const child of byParent.get(id) ?? []) line.add(child)
  const kin = [...line].reverse()
  for (
    let id = parents.get(own);
    id != null && parents.has(id) && !line.has(id);
    id = parents.get(id)
  ) {
    line.add(id)
    kin.push(id)
  }
  return kin.map((id) => join(beside, id))
}

/** Lists all work session folders, youngest generation first. */
export async function youngestFirst(beside: string): Promise<string[]> {
  const parents = await parentsIn(beside)
  const depthOf = (id: string): number => {
    const seen = new Set([id])
    for (
      let at = parents.get(id);
      at != null && parents.has(at) && !seen.has(at);
      at = parents.get(at)
    )
      seen.add(at)
    return seen.size
  }
  const ids = [...parents.keys()].map((id) => ({ id, depth: depthOf(id) }))
  return ids
    .sort((a, b) => b.depth - a.depth || (a.id < b.id ? -1 : 1))
    .map(({ id }) => join(beside, id))
}

/**
 * Maps each work session folder to the work session it was resumed from, or to null when that is
 * not known.
 */
async function parentsIn(beside: string): Promise<Map<string, string | null>> {
  const entries = await readdir(beside, { withFileTypes: true }).catch(() => [])
  const parents = new Map<string, string | null>()
  for (const { name } of entries.filter((entry) => entry.isDirectory()).slice(0, maxSiblings))
    parents.set(name, await parentIn(join(beside, name)))
  return parents
}

/**
 * Reads the parent's id. An unreadable file gives null here; restoring that work session reports
 * the error.
 */
async function parentIn(folder: string): Promise<string | null> {
  const file = (await readJson(join(folder, fileNames.workSession)).catch(() => undefined)) as
    | { work_session?: { parent_session_id?: unknown } }
    | undefined
  const id = file?.work_session?.parent_session_id
  return FolderId.safeParse(id).data ?? null
}

async function artifactsIn(folder: string): Promise<SavedArtifact[]> {
  // Also false for a link, which may lead out of the folder.
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  // Unfinished files begin with a dot.
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  return files
    .map(({ name }) => ({ name, path: join(folder, name) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Parses a JSON file; undefined when there is none. */
async function readJson(path: string): Promise<unknown> {
  const found = await lstat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  if (found.size > maxFileBytes) throw unreadable(path, 'it is too large')
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw unreadable(path, error instanceof SyntaxError ? 'it is not JSON' : String(error))
  }
}

const unreadable = (path: string, why: string): StartFailure =>
  new StartFailure(
    `${path} cannot be read: ${why}.`,
    'Mend it, or move it away to go on without it; nothing was changed.',
  )
