/**
 * The secrets of a data folder: one file each in `<data>/secrets`, readable by its owner only and
 * separate from what agents work in (SE10). Earlier builds kept them in the data folder itself; a
 * start moves them, and until then they are read there.
 */
import { chmod, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartFailure } from '../processes/start-failure.ts'
import { syncFolder, writeFileAtomic } from './atomic-file.ts'
import { restrictToOwner } from './data-folder.ts'
import { makeFolder } from './make-folder.ts'

/** The secrets that earlier builds kept elsewhere. */
const movedNames = ['owner-token', 'coordinator-token'] as const

export type SecretName = (typeof movedNames)[number] | 'sealing-key'

export const secretsFolder = (data: string): string => join(data, 'secrets')
export const secretFile = (data: string, name: SecretName): string =>
  join(secretsFolder(data), name)
const earlierFile = (data: string, name: SecretName): string => join(data, name)

interface KeptSecret {
  readonly path: string
  /** Trimmed. */
  readonly text: string
}

/** Undefined when there is none. Throws a StartFailure for an unreadable file. */
export async function readSecret(data: string, name: SecretName): Promise<KeptSecret | undefined> {
  for (const path of [secretFile(data, name), earlierFile(data, name)]) {
    const text = await textIn(path)
    if (text === undefined) continue
    await chmod(path, 0o600).catch(() => {})
    return { path, text: text.trim() }
  }
  return undefined
}

/** Replaces the secret and removes the file of an earlier build. */
export async function writeSecret(data: string, name: SecretName, text: string): Promise<void> {
  await makeFolder(secretsFolder(data))
  await writeFileAtomic(secretFile(data, name), `${text}\n`)
  await rm(earlierFile(data, name), { force: true })
}

/** Lists the secrets that are still where earlier builds kept them. */
export async function unmovedSecrets(data: string): Promise<SecretName[]> {
  const found = await Promise.all(
    movedNames.map((name) => textIn(earlierFile(data, name)).catch(() => '')),
  )
  return movedNames.filter((_, index) => found[index] !== undefined)
}

interface MoveOptions {
  readonly warn: (message: string) => void
  /**
   * A running coordinator of an earlier build reads its token at the old path; then it is not
   * moved.
   */
  readonly coordinatorRuns: () => Promise<boolean>
}

/**
 * Creates the folder and moves the secrets of earlier builds into it by rename, so a crash leaves
 * each in one of the two places. Files already in the folder win. Call it while holding the
 * folder's lock.
 */
export async function prepareSecrets(
  data: string,
  { warn, coordinatorRuns }: MoveOptions,
): Promise<void> {
  const folder = secretsFolder(data)
  await makeFolder(folder)
  await restrictToOwner(folder, 'folder of secrets', warn)
  for (const name of await unmovedSecrets(data)) {
    if (name === 'coordinator-token' && (await coordinatorRuns())) continue
    await moveIn(data, name, warn)
  }
}

async function moveIn(
  data: string,
  name: SecretName,
  warn: (message: string) => void,
): Promise<void> {
  const [from, to] = [earlierFile(data, name), secretFile(data, name)]
  try {
    if ((await textIn(to)) === undefined) await rename(from, to)
    else {
      await rm(from)
      warn(`${from} was removed: ${to} is the one that counts.`)
    }
    await syncFolder(secretsFolder(data))
    await syncFolder(data)
  } catch (error) {
    // A mounted file cannot be moved. It is read where it is.
    warn(
      `${from} could not be moved to ${to} (${(error as NodeJS.ErrnoException).code}); it stays where it is.`,
    )
  }
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new StartFailure(`${path} cannot be read (${code}).`, 'Give yourself rights on it.', {
      cause: error,
    })
  }
}
