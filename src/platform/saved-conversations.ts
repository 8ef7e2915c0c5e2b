/**
 * Files of conversations on disk (CV6), ours and picoclaw's, read one by one for whoever takes them in (CV7, CV8). What cannot be
 * read is told with its reason; it never ends the reading of the others.
 */

import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { refusalText } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { type ReadConversation, readConversationFile } from '../protocol/conversations/conversation-file.ts'
import { parseJson } from './parse-json.ts'

const maxFileBytes = 256 * 1024 * 1024

export type SavedConversation = { readonly file: string } & (
  | { readonly conversation: ReadConversation }
  | { readonly why: string }
)

/** Their paths, in order; none when there is no such folder. What begins with a dot is hidden, or was never finished. */
export async function conversationFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  return entries
    .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .sort()
}

export async function readSavedConversation(path: string): Promise<SavedConversation> {
  const file = basename(path)
  try {
    return { file, conversation: readConversationFile(parseJson(await bytesOf(path), 'It')) }
  } catch (error) {
    if (error instanceof Refusal) return { file, why: error.message }
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return { file, why: `It cannot be read (${code})` }
  }
}

async function bytesOf(path: string): Promise<Buffer> {
  const found = await lstat(path)
  // A pipe would keep us waiting, a link lead anywhere.
  if (!found.isFile()) throw new Refusal('invalid_request', refusalText('noFile'))
  if (found.size > maxFileBytes) throw new Refusal('invalid_request', refusalText('fileTooLarge', { most: maxFileBytes }))
  return readFile(path)
}
