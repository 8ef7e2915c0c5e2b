/**
 * Reads conversation files (CV6), of Holdfast and of picoclaw, one by one for an import (CV7, CV8).
 * An unreadable file is reported with its reason and does not stop the others.
 */

import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import {
  type ReadConversation,
  readConversationFile,
} from '../../protocol/conversations/conversation-file.ts'
import { parseJson } from '../parse-json.ts'

const maxFileBytes = 256 * 1024 * 1024

export type SavedConversation = { readonly file: string } & (
  | { readonly conversation: ReadConversation }
  | { readonly why: string }
)

/**
 * Lists the files in order; none when there is no such folder. Names that begin with a dot are
 * hidden or unfinished files.
 */
export async function conversationFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
      throw error
    },
  )
  return entries
    .filter(
      (entry) =>
        !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'),
    )
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
  // A pipe would block, and a link could lead anywhere.
  if (!found.isFile()) throw new Refusal('invalid_request', refusalText('noFile'))
  if (found.size > maxFileBytes)
    throw new Refusal('invalid_request', refusalText('fileTooLarge', { most: maxFileBytes }))
  return readFile(path)
}
