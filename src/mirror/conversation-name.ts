/** Where the file of a conversation lies (CV6), and whether a file is this conversation's own: the key inside says so. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { nameApart, plainName } from '../domain/conversations/file-name.ts'
import { conversationsFolder } from '../platform/data-folder.ts'
import { NotPlainFile, openPlainFile } from '../platform/plain-file.ts'

/** The key comes first in a file; the longest, all of it escaped, ends well before this. */
const headBytes = 4096

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex')

export interface NamesOfConversation {
  /** The name its key asks for. */
  readonly plain: string
  /** Nobody else's, whoever has the plain one. */
  readonly apart: string
  /** How far the file has come; beside the files, in a folder that is not shown. */
  readonly cursor: string
}

export const namesOf = (data: string, key: string): NamesOfConversation => {
  const folder = conversationsFolder(data)
  const digest = digestOf(key)
  return {
    plain: join(folder, `${plainName(key)}.json`),
    apart: join(folder, `${nameApart(key, digest)}.json`),
    cursor: join(folder, '.mirror', `${digest}.json`),
  }
}

/** False when it is another's, or there is none. */
export const isFileOf = async (path: string, key: string): Promise<boolean> => (await keyIn(path)) === key

/** Whose file it is; undefined when there is none, or none that says so at its beginning. */
async function keyIn(path: string): Promise<string | undefined> {
  const file = await openPlainFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error instanceof NotPlainFile) return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
    const [, found] = /^\s*\{\s*"key"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(buffer.toString('utf8', 0, bytesRead)) ?? []
    return found === undefined ? undefined : parsed(found)
  } finally {
    await file.close()
  }
}

function parsed(text: string): string | undefined {
  try {
    return JSON.parse(text) as string
  } catch {
    return undefined
  }
}
