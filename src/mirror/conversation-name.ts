/**
 * The path of a conversation's file (CV6), and whether a file belongs to the conversation: it
 * contains the key.
 */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { nameApart, plainName } from '../domain/conversations/key.ts'
import { conversationsFolder } from '../platform/files/data-folder.ts'
import { NotPlainFile, openPlainFile } from '../platform/files/plain-file.ts'
import { parsedJson } from '../platform/json.ts'

/** Enough for the key, which comes first in the file, at its longest and fully escaped. */
const headBytes = 4096

export interface NamesOfConversation {
  readonly plain: string
  /** A unique name, used when another conversation has the plain one. */
  readonly apart: string
  /** The cursor of the file, in a hidden folder. */
  readonly cursor: string
}

export const namesOf = (data: string, key: string): NamesOfConversation => {
  const folder = conversationsFolder(data)
  const digest = hash('sha256', key)
  return {
    plain: join(folder, `${plainName(key)}.json`),
    apart: join(folder, `${nameApart(key, digest)}.json`),
    cursor: join(folder, '.mirror', `${digest}.json`),
  }
}

/** Whether the file exists and belongs to the conversation. */
export const isFileOf = async (path: string, key: string): Promise<boolean> =>
  (await keyIn(path)) === key

/** The key in a file; undefined when there is none, or none at its beginning. */
async function keyIn(path: string): Promise<string | undefined> {
  await using file = await openPlainFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error instanceof NotPlainFile) return undefined
    throw error
  })
  if (!file) return undefined
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  const [, found = ''] =
    /^\s*\{\s*"key"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(buffer.toString('utf8', 0, bytesRead)) ?? []
  return parsedJson(found) as string | undefined
}
