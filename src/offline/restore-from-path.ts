/**
 * Finds the work session at a path on this machine and restores it if it is missing (CK7). The path
 * is a checkpoint or its folder, below the projects of the data folder or in a project's folder.
 * Links are resolved first, and nothing outside is read.
 */

import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Refusal } from '../domain/errors.ts'
import { refusalText } from '../domain/refusal-texts.ts'
import { projectsFolder } from '../platform/files/data-folder.ts'
import { isBelow } from '../platform/files/path-inside.ts'
import {
  findCheckpoint,
  foldersOfLineage,
  readSavedWorkSession,
  type SavedWorkSession,
} from '../platform/files/saved-work-session.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { NotRestored } from '../protocol/work/resume.ts'
import { projectPaths } from '../store/projects/projects.ts'
import type { Store } from '../store/store.ts'
import { restoreFromFolder } from './restore-from-folder.ts'

export interface BroughtBack {
  readonly projectId: string
  readonly workSessionId: string
  readonly notRestored: readonly NotRestored[]
}

export const restoreFromPath =
  (store: Store, data: string) =>
  async (path: string, by: string): Promise<BroughtBack> => {
    const root = await rootOf(store, data, path)
    try {
      const file = await findCheckpoint(realpathSync.native(path))
      const saved = inside(root, await readSavedWorkSession(dirname(file), file))
      const { project_id, session_id } = (saved.files.checkpoint ?? {}) as Record<string, unknown>
      const place = { projectId: String(project_id), workSessionId: String(session_id) }
      const isKnown =
        (await store.read((reader) => reader.row('sessions', { id: place.workSessionId }))) !==
        undefined
      return { ...place, notRestored: isKnown ? [] : await bringKin(store, root, saved, by) }
    } catch (error) {
      if (error instanceof StartFailure)
        throw new Refusal('invalid_request', [error.message, error.next].join(' '), {
          field: 'path',
        })
      throw error
    }
  }

/** Returns the allowed folder that contains the resolved path. */
async function rootOf(store: Store, data: string, path: string): Promise<string> {
  const real = realPath(path)
  const roots = [projectsFolder(data), ...(await store.read((reader) => projectPaths(reader)))]
  const root = real && roots.map(realPath).find((each) => each !== undefined && isBelow(each, real))
  if (root) return root
  throw new Refusal(
    'invalid_request',
    real ? refusalText('fileOutside') : refusalText('fileMissing', { path }),
    {
      field: 'path',
    },
  )
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** Drops files outside of the allowed folder. */
function inside(root: string, saved: SavedWorkSession): SavedWorkSession {
  if (isBelow(root, join(saved.folder, '../../project.json'))) return saved
  return { ...saved, files: { ...saved.files, project: undefined } }
}

async function bringKin(
  store: Store,
  root: string,
  saved: SavedWorkSession,
  by: string,
): Promise<NotRestored[]> {
  const missing: NotRestored[] = []
  const kin = isBelow(root, saved.folder) ? await foldersOfLineage(saved) : [saved.folder]
  for (const folder of kin.filter((each) => each === saved.folder || isBelow(root, each))) {
    const brought = await restoreFromFolder(
      store,
      folder === saved.folder ? saved : await readSavedWorkSession(folder),
      by,
    )
    if (folder === saved.folder) missing.push(...brought.missing)
  }
  return missing
}
