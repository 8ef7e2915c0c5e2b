/**
 * Writes files atomically (CK3): to a temporary file, fsynced, renamed, with the folder fsynced so
 * that the new name survives a power cut. Removes the temporary file on failure.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface AtomicFileOptions {
  /** 0600 by default: the data folder belongs to its owner (CF2). */
  readonly mode?: number
}

export const writeFileAtomic = (
  path: string,
  data: string | Uint8Array,
  options: AtomicFileOptions = {},
): Promise<void> => putInPlace(path, options.mode ?? 0o600, (file) => file.writeFile(data))

/** The same for content that arrives in pieces. */
export const replaceFile = (path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> =>
  putInPlace(path, 0o600, async (file) => {
    for await (const piece of pieces) await file.writeFile(piece)
  })

async function putInPlace(
  path: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const folder = dirname(path)
  const temporary = join(
    folder,
    `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`,
  )
  const file = await open(temporary, 'wx', mode)
  try {
    await writeAndSync(file, write)
    await rename(temporary, path)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
  await syncFolder(folder)
}

async function writeAndSync(
  file: FileHandle,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes creations, renames and removals in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; the rename alone must do.
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
