/**
 * The data folder (CF2): its default path, its contents and its permissions. Files are 0600 and
 * folders 0700; a folder open to others is restricted with a warning. A read-only folder is never
 * written.
 */
import { accessSync, constants, existsSync } from 'node:fs'
import { access, chmod, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartFailure } from '../processes/start-failure.ts'
import { makeFolder } from './make-folder.ts'

export const databaseFile = (data: string): string => join(data, 'holdfast.db')
/**
 * The id of the local coordinator's token; a new token is created under it when that one is
 * revoked.
 */
export const coordinatorIdFile = (data: string): string => join(data, 'coordinator-id')
/** CV6: one file for each conversation. */
export const conversationsFolder = (data: string): string => join(data, 'conversations')
/** CK2: one folder for each project. */
export const projectsFolder = (data: string): string => join(data, 'projects')
export const runFolder = (data: string): string => join(data, 'run')
/** The log of the coordinator that `up` runs. */
export const coordinatorLog = (data: string): string => join(runFolder(data), 'coordinator.log')

/**
 * Whether a folder with these names in it is a data folder, of any server and build. `secrets`: the
 * names in its folder of secrets.
 */
export function looksLikeData(names: readonly string[], secrets: () => readonly string[]): boolean {
  const ofData = new Set(['holdfast.db', 'owner-token', 'coordinator-token', 'sealing-key'])
  return (
    names.some((name) => ofData.has(name)) ||
    (names.includes('secrets') && secrets().some((name) => ofData.has(name)))
  )
}

const openToOthers = 0o077
const writableByOwner = 0o200
const sharedByAll = 0o1002

export interface Surroundings {
  readonly packageFolder: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform?: NodeJS.Platform
  readonly home?: string
}

/**
 * `.holdfast` in the root of the clone when started from one, otherwise the platform's folder for
 * data.
 */
export function defaultDataFolder({
  packageFolder,
  env,
  platform = process.platform,
  home = homedir(),
}: Surroundings): string {
  if (isClone(packageFolder)) return join(packageFolder, '.holdfast')
  if (platform === 'win32')
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'holdfast')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'holdfast')
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'holdfast')
}

/** In a worktree `.git` is a file, so existence is enough. */
export const isClone = (packageFolder: string): boolean => existsSync(join(packageFolder, '.git'))

/** Whether this user may enter the folder; true when it does not exist. */
export function mayEnter(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES'
  }
}

/**
 * Creates the folder if needed, restricts it to its owner and checks that it can be written. Throws
 * a StartFailure.
 */
export async function prepareDataFolder(
  data: string,
  warn: (message: string) => void,
): Promise<void> {
  try {
    await makeFolder(data)
    const { mode } = await stat(data)
    // Root can write anywhere, but a folder marked read-only is respected.
    if (process.platform !== 'win32' && (mode & writableByOwner) === 0) throw readOnly(data)
    // A folder shared by all users, like /tmp, must not be restricted.
    if ((mode & sharedByAll) === sharedByAll) throw shared(data)
    await access(data, constants.R_OK | constants.W_OK | constants.X_OK)
    await restrictToOwner(data, 'data folder', warn)
    await makeFolder(runFolder(data))
  } catch (error) {
    throw explain(data, error)
  }
}

/** `what`: the name of the folder in the warning. */
export async function restrictToOwner(
  folder: string,
  what: string,
  warn: (message: string) => void,
): Promise<void> {
  const { mode } = await stat(folder)
  if (process.platform === 'win32' || (mode & openToOthers) === 0) return
  await chmod(folder, 0o700)
  warn(
    `The ${what} ${folder} was open to other users (mode ${octal(mode)}); it is now closed to them (0700).`,
  )
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')

const useAnotherFolder = 'or choose another folder with --data DIR.'

const readOnly = (data: string): StartFailure =>
  new StartFailure(
    `The data folder ${data} is read-only.`,
    `Make it writable (chmod u+w ${data}), ${useAnotherFolder}`,
  )

const shared = (data: string): StartFailure =>
  new StartFailure(
    `The folder ${data} is shared by all users.`,
    `Choose one inside it, such as --data ${join(data, 'holdfast')}.`,
  )

function explain(data: string, error: unknown): StartFailure {
  if (error instanceof StartFailure) return error
  const { code = String(error) } = error as NodeJS.ErrnoException
  const unknown = [`The data folder ${data} cannot be used (${code}).`] as const
  const [message, next = 'Choose another folder with --data DIR.'] = reasons(data)[code] ?? unknown
  return new StartFailure(message, next, { cause: error })
}

function reasons(
  data: string,
): Readonly<Record<string, readonly [message: string, next?: string]>> {
  const rights = `Give yourself rights on ${data}, ${useAnotherFolder}`
  const space = `Free some space on ${dirname(data)}, ${useAnotherFolder}`
  const notAFolder = [`${data} is not a folder, or a part of its path is a file.`] as const
  const notAllowed = [`The data folder ${data} cannot be written by this user.`, rights] as const
  const full = [`There is no space left for the data folder ${data}.`, space] as const
  return {
    EEXIST: notAFolder,
    ENOTDIR: notAFolder,
    EACCES: notAllowed,
    EPERM: notAllowed,
    ENOSPC: full,
    EDQUOT: full,
    EROFS: [`The data folder ${data} is on a read-only file system.`],
  }
}
