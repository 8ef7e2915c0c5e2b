/** Reads and writes plain files, and refuses pipes and devices, which could block for ever. */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

export class NotPlainFile extends Error {}

const notPlainText = (path: string): string => `${path} is in the way: it is not a plain file`

export async function openPlainFile(path: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  const file = await open(path, flags | constants.O_NONBLOCK, 0o600).catch((error: NodeJS.ErrnoException) => {
    // A pipe without a reader.
    if (error.code === 'ENXIO') throw new NotPlainFile(notPlainText(path))
    throw error
  })
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new NotPlainFile(notPlainText(path))
}

/** Creates or overwrites the file. */
export async function writePlainFile(path: string, text: string): Promise<void> {
  const file = await openPlainFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

export async function readPlainFile(path: string): Promise<string> {
  const file = await openPlainFile(path)
  try {
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
