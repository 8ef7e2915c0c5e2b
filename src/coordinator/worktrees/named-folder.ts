/**
 * Finds or makes the folder that a person named by an absolute path for an agent in a role (US8):
 * below the project's folder, below the console's, or below folders that somebody who manages may
 * choose from. Never one of the system or of the data folder (SE11).
 */
import { realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve } from 'node:path'
import { inspectFolder } from '../../platform/files/folder-rules.ts'
import {
  isBelow,
  makeFolderInside,
  PathRefused,
  realPathInside,
} from '../../platform/files/path-inside.ts'
import { statusNotice } from '../../protocol/status-texts.ts'

/** AG2: accessible to the owner only. */
const folderMode = 0o700

export interface NamedFolder {
  readonly path: string
  /** The console's own folder, in the data folder. */
  readonly root: string
  readonly projectFolder: string | null
  readonly roots: readonly string[]
  readonly data: string
}

/** `below`: the path's rest below the console's own folder, which is a workspace as any other. */
export type FoundFolder = { readonly below: string } | { readonly folder: string }

export const isNamedFolder = (path: string | null): path is string =>
  path !== null && isAbsolute(path)

export async function namedFolder({
  path,
  root,
  projectFolder,
  roots,
  data,
}: NamedFolder): Promise<FoundFolder> {
  const wanted = resolve(path)
  const inConsole = restBelow(root, wanted)
  if (inConsole !== undefined && inConsole !== '') return { below: inConsole }
  // The project's folder was looked at when it was chosen; the demo's is in the data folder.
  const inProject = projectFolder === null ? undefined : restBelow(projectFolder, wanted)
  if (projectFolder !== null && inProject !== undefined)
    return { folder: await made(projectFolder, inProject, path) }
  for (const base of roots) {
    const rest = restBelow(base, wanted)
    if (rest === undefined) continue
    const { state } = inspectFolder(
      { data, roots: [] },
      rest === '' ? base : await realPathInside(base, rest),
    )
    if (state === 'system' || state === 'in_data' || state === 'above_data')
      throw new PathRefused(statusNotice('pathOfSystem', { path }))
    return { folder: await made(base, rest, path) }
  }
  throw new PathRefused(statusNotice('pathNotYours', { path }))
}

async function made(base: string, rest: string, path: string): Promise<string> {
  if (rest === '') return realpathSync.native(base)
  try {
    return await makeFolderInside(base, rest, folderMode)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new PathRefused(statusNotice('pathNoFolder', { path }))
    throw error
  }
}

/**
 * What is left of a path below a folder, which may be named through links; '' for the folder
 * itself.
 */
function restBelow(base: string, wanted: string): string | undefined {
  for (const each of [base, realOr(base)]) {
    if (each === wanted) return ''
    if (isBelow(each, wanted)) return relative(each, wanted)
  }
  return undefined
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
