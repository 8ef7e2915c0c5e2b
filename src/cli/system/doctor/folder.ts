/** Checks the data folder and its database file. Changes nothing. */
import { constants } from 'node:fs'
import { access, open, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile, mayEnter } from '../../../platform/files/data-folder.ts'
import { requireNotMoved } from '../../../platform/files/moved-mark.ts'
import { secretsFolder, unmovedSecrets } from '../../../platform/files/secret-files.ts'
import { succeeds } from '../../../platform/for-each-settled.ts'
import { StartFailure } from '../../../platform/processes/start-failure.ts'
import type { ConfigValues } from '../../../protocol/config.ts'
import { bad, type Check, good, warning } from './check.ts'

const name = 'Data folder'
const littleSpace = 1024 ** 3
const noSpace = 100 * 1024 ** 2

export async function checkFolder(data: string): Promise<Check> {
  const found = await stat(data).catch(() => undefined)
  if (!found) return checkPlaceFor(data)
  if (!found.isDirectory())
    return bad(name, `${data} is not a folder`, 'Choose another with --data DIR.')
  if (!mayEnter(data))
    return bad(
      name,
      `${data} is closed to this user`,
      'Act as the user it belongs to, or name the server with --server URL.',
    )
  const mode = found.mode & 0o777
  const isWritable =
    (mode & 0o200) !== 0 &&
    (await succeeds(access(data, constants.R_OK | constants.W_OK | constants.X_OK)))
  if (process.platform !== 'win32' && !isWritable)
    return bad(
      name,
      `${data} cannot be written`,
      `Make it writable (chmod u+rwx ${data}), or choose another with --data DIR.`,
    )
  return openToOthers(name, data, mode) ?? checkSpace(data, data)
}

function openToOthers(title: string, folder: string, mode: number): Check | undefined {
  if (process.platform === 'win32' || (mode & 0o077) === 0) return undefined
  const next = `Close it: chmod 700 ${folder} (the next start does it too).`
  return warning(title, `${folder} is open to other users (${mode.toString(8)})`, next)
}

/** SE10: returns no check where there is no folder yet. */
export async function checkSecrets(data: string): Promise<Check[]> {
  const title = 'Secrets'
  const folder = secretsFolder(data)
  const unmoved = await unmovedSecrets(data)
  if (unmoved.length > 0) {
    const next = `Start the server once: it moves it. Where one is in both, that in ${folder} counts.`
    return [
      warning(title, `${unmoved.join(' and ')} should be in ${folder}, but lies in ${data}`, next),
    ]
  }
  const found = await stat(folder).catch(() => undefined)
  if (!found) return []
  return [
    openToOthers(title, folder, found.mode & 0o777) ??
      good(title, `${folder}, closed to other users`),
  ]
}

async function checkPlaceFor(data: string): Promise<Check> {
  let parent = dirname(data)
  while (parent !== dirname(parent) && !(await stat(parent).catch(() => undefined)))
    parent = dirname(parent)
  if (!(await succeeds(access(parent, constants.W_OK))))
    return bad(name, `${data} cannot be made in ${parent}`, 'Choose another with --data DIR.')
  return checkSpace(parent, `${data} (made at the first start)`)
}

async function checkSpace(folder: string, shown: string): Promise<Check> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  const detail = `${shown}, ${gigabytes(free)} free`
  if (free < noSpace) return bad(name, detail, 'Free some space: nothing more can be kept.')
  return free < littleSpace ? warning(name, detail, 'Free some space soon.') : good(name, detail)
}

const gigabytes = (bytes: number): string =>
  bytes < 1024 ** 3 ? `${Math.floor(bytes / 1024 ** 2)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`

/** Larger files take too long to read whole; only their header is checked. */
const readWholeBytes = 512 * 1024 ** 2
const header = 'SQLite format 3\0'

export async function checkDatabase({ data, database_url: url }: ConfigValues): Promise<Check> {
  const file = databaseFile(data)
  const moved = url ? undefined : await requireNotMoved(data).catch((error: unknown) => error)
  if (moved instanceof StartFailure) return bad('Database', moved.message, moved.next)
  const next = 'Put a backup in its place, or move it away to begin with an empty one.'
  const size = (await stat(file).catch(() => undefined))?.size
  if (size === undefined) return good('Database', 'none yet; the first start makes it')
  if (size === 0) return good('Database', 'empty')
  const begins = await firstBytes(file).catch(
    (error: NodeJS.ErrnoException) => error.code ?? 'unreadable',
  )
  if (begins !== header) return bad('Database', `${file} is not an SQLite database`, next)
  if (size > readWholeBytes)
    return good('Database', `${gigabytes(size)}; too large to be read whole here`)
  const trouble = quickCheck(file)
  return trouble === undefined
    ? good('Database', `sound, ${Math.ceil(size / 1024)} KB`)
    : bad('Database', `${file} is damaged: ${trouble}`, next)
}

async function firstBytes(file: string): Promise<string> {
  await using handle = await open(file, 'r')
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(header.length), 0, header.length, 0)
  return buffer.toString('latin1', 0, bytesRead)
}

function quickCheck(file: string): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 2_000 })
    const row = database.prepare('PRAGMA quick_check(1)').get()
    const verdict = String(Object.values(row ?? {})[0])
    return verdict === 'ok' ? undefined : verdict
  } catch (error) {
    return (error as Error).message
  } finally {
    database?.close()
  }
}
