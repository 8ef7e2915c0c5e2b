/**
 * Checks paths from outside below a given folder (SE5): first their form, then where they lead. An
 * opened file is checked again by its handle, since links can change in between. Uses synchronous
 * calls: a few steps, each faster than a thread pool's round trip while an agent's start waits.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isGitFolder } from '../../domain/ids.ts'
import { DetailError } from '../../domain/notices.ts'
import { statusNotice } from '../../domain/status-texts.ts'

/** The message is for the person who gave the path. */
export class PathRefused extends DetailError {}

const maxPath = 1024
const maxName = 255
const maxDepth = 32
/** Device names on Windows, with any extension. */
const reserved = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i

/**
 * Splits a path at either kind of slash; throws PathRefused for anything but a plain relative path.
 */
export function namesIn(path: string): string[] {
  if (path.trim() === '') throw new PathRefused(statusNotice('pathEmpty'))
  if (Buffer.byteLength(path) > maxPath)
    throw new PathRefused(statusNotice('pathTooLong', { most: maxPath }))
  if (/\p{Cc}/u.test(path)) throw new PathRefused(statusNotice('pathControl'))
  if (!path.isWellFormed()) throw new PathRefused(statusNotice('pathNoText'))
  if (/^[\\/]/.test(path) || /^[a-z]:/i.test(path))
    throw new PathRefused(statusNotice('pathAbsolute'))
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.')
  if (names.length === 0) throw new PathRefused(statusNotice('pathEmpty'))
  if (names.length > maxDepth)
    throw new PathRefused(statusNotice('pathTooDeep', { most: maxDepth }))
  for (const name of names) checkName(name)
  return names
}

function checkName(name: string): void {
  if (name === '..') throw new PathRefused(statusNotice('pathUpwards'))
  if (isGitFolder(name)) throw new PathRefused(statusNotice('pathGit'))
  if (Buffer.byteLength(name) > maxName)
    throw new PathRefused(statusNotice('pathNameTooLong', { most: maxName }))
  if (/[<>:"|?*]/.test(name) || /[. ]$/.test(name) || reserved.test(name))
    throw new PathRefused(statusNotice('pathNameReserved', { name: JSON.stringify(name) }))
}

/** Follows all links; refuses a result that is not below the root. The last part need not exist. */
export async function realPathInside(root: string, path: string): Promise<string> {
  const names = namesIn(path)
  let real = realpathSync.native(root)
  const realRoot = real
  for (const [index, name] of names.entries()) {
    const next = join(real, name)
    const found = foundAt(next)
    if (!found) return join(next, ...names.slice(index + 1))
    real = found.isSymbolicLink() ? followed(next) : next
    if (!isBelow(realRoot, real)) throw new PathRefused(statusNotice('pathLeadsOut'))
  }
  return real
}

/** Opens or creates the folder and checks by its handle that it is below the root. */
export async function makeFolderInside(root: string, path: string, mode: number): Promise<string> {
  const target = await realPathInside(root, path)
  mkdirSync(target, { recursive: true, mode })
  const descriptor = openSync(
    target,
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  )
  try {
    mustBeInside(root, target, fstatSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
  return target
}

/** Opens a path found by `realPathInside`; refuses it when it leads elsewhere by now. */
export async function openInside(root: string, real: string, flags: number): Promise<FileHandle> {
  const handle = await open(real, flags | constants.O_NOFOLLOW)
  try {
    mustBeInside(root, real, await handle.stat())
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

function mustBeInside(root: string, real: string, opened: Stats): void {
  const [there, place] = [statSync(real), realpathSync.native(real)]
  const same = opened.ino === there.ino && opened.dev === there.dev
  if (!same || !isBelow(realpathSync.native(root), place))
    throw new PathRefused(statusNotice('pathLeadsOut'))
}

export const isBelow = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !/^([a-z]:|[\\/])/i.test(way)
}

function followed(link: string): string {
  try {
    return realpathSync.native(link)
  } catch {
    throw new PathRefused(statusNotice('pathDeadLink'))
  }
}

function foundAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR')
      throw new PathRefused(statusNotice('pathFile'))
    throw error
  }
}
