/**
 * Imports conversation files into the store without a server: from the mirror folder when the store
 * is empty (CV8), and for a rebuild (CK4). A broken file is reported and skipped.
 */
import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ownerId } from '../domain/access/caller.ts'
import { Refusal } from '../domain/errors.ts'
import { chatLogFile } from '../mirror/line-log.ts'
import { writeFileAtomic } from '../platform/files/atomic-file.ts'
import { conversationsFolder } from '../platform/files/data-folder.ts'
import {
  conversationFilesIn,
  readSavedConversation,
} from '../platform/files/saved-conversations.ts'
import { succeeds } from '../platform/for-each-settled.ts'
import type { ReadConversation } from '../protocol/conversations/conversation-file.ts'
import { piecesOf } from '../protocol/conversations/import.ts'
import { importConversation } from '../services/conversations/import-conversation.ts'
import type { Store } from '../store/store.ts'

/** Files imported concurrently, so that they share commits. */
const filesAtOnce = 16

export interface TakenIn {
  conversations: number
  messages: number
  readonly skipped: { readonly file: string; readonly why: string }[]
}

type Warn = (file: string, why: string) => void

/**
 * Imports at the first start (CV8), before anything else is written. A mark in the folder makes the
 * next start continue an interrupted import.
 */
export async function importAtStart(
  store: Store,
  data: string,
  warn: Warn,
): Promise<TakenIn | undefined> {
  const mark = join(conversationsFolder(data), '.taking-in')
  const paths = await conversationFilesIn(conversationsFolder(data))
  if (paths.length === 0 || !((await isEmpty(store)) || (await hasMark(mark)))) return undefined
  await writeFileAtomic(mark, '')
  const taken = await importFiles(store, paths, data)
  for (const { file, why } of taken.skipped) warn(file, why)
  await rm(mark, { force: true })
  return taken
}

/** Imports into the store whose mirror folder is in `data`. */
export async function importFiles(
  store: Store,
  paths: readonly string[],
  data: string,
): Promise<TakenIn> {
  const taken: TakenIn = { conversations: 0, messages: 0, skipped: [] }
  const next = paths.values()
  const takeRest = async (): Promise<void> => {
    for (const path of next) {
      const saved = await readSavedConversation(path)
      const why =
        'why' in saved ? saved.why : await importOne(store, saved.conversation, data, taken)
      if (why !== undefined) taken.skipped.push({ file: saved.file, why })
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, takeRest))
  taken.skipped.sort((a, b) => (a.file < b.file ? -1 : 1))
  return taken
}

/** Returns why the conversation is refused, if it is. */
async function importOne(
  store: Store,
  conversation: ReadConversation,
  data: string,
  sum: TakenIn,
): Promise<string | undefined> {
  const { key } = conversation
  let after: number | undefined
  try {
    for (const piece of piecesOf(conversation)) {
      const taken = await store.run(importConversation, {
        ...piece,
        key,
        by: ownerId,
        ours: true,
        privateTo: conversation.privateTo,
        thread: conversation.thread,
        ...(after !== undefined && { after }),
      })
      if (taken.created) await keepChatLog(data, key)
      after = taken.after
      sum.messages += taken.added
    }
  } catch (error) {
    if (
      error instanceof Refusal &&
      (error.code === 'invalid_key' || error.code === 'invalid_request')
    )
      return error.message
    throw error
  }
  sum.conversations++
  return undefined
}

/** Keeps the chat log, which has more than the imported messages and would be overwritten. */
async function keepChatLog(data: string, key: string): Promise<void> {
  const file = chatLogFile(key)
  if (file === undefined) return
  await rename(join(data, file), join(data, `${file}.aside`)).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    },
  )
}

/** Whether the store has no event. */
const isEmpty = async (store: Store): Promise<boolean> =>
  (await store.streamsAfter('', 1)).length === 0

const hasMark = (mark: string): Promise<boolean> => succeeds(access(mark))
