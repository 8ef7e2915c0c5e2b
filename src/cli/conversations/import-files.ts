/** Sends the conversation files of a folder to the server, several at a time, each piece by piece (CV7). */
import type { Client } from '../../client/client.ts'
import { ProblemError } from '../../client/failures.ts'
import { readSavedConversation } from '../../platform/files/saved-conversations.ts'
import type { ReadConversation } from '../../protocol/conversations/conversation-file.ts'
import { piecesOf } from '../../protocol/conversations/import.ts'

const filesAtOnce = 8

export interface Imported {
  created: number
  grown: number
  unchanged: number
  messages: number
  readonly skipped: { readonly file: string; readonly why: string }[]
}

export async function importFiles(client: Client, paths: readonly string[], onFile: (done: number) => void): Promise<Imported> {
  const sum: Imported = { created: 0, grown: 0, unchanged: 0, messages: 0, skipped: [] }
  const next = paths.values()
  let done = 0
  const importRest = async (): Promise<void> => {
    for (const path of next) {
      const saved = await readSavedConversation(path)
      const why = 'why' in saved ? saved.why : await bring(client, saved.conversation, sum)
      if (why !== undefined) sum.skipped.push({ file: saved.file, why })
      onFile(++done)
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, importRest))
  sum.skipped.sort((a, b) => (a.file < b.file ? -1 : 1))
  return sum
}

/** Returns why the file is refused, if it is. Other failures end the import. */
async function bring(client: Client, conversation: ReadConversation, sum: Imported): Promise<string | undefined> {
  const params = { key: conversation.key }
  let after: number | undefined
  let created = false
  let added = 0
  try {
    for (const piece of piecesOf(conversation)) {
      const body = after === undefined ? piece : { ...piece, after }
      const answer = await client.post('/api/conversations/{key}/import', { params, body })
      after = answer.after
      created ||= answer.created
      added += answer.added
    }
  } catch (error) {
    if (error instanceof ProblemError && aboutTheFile.has(error.problem.code)) return error.problem.detail
    throw error
  }
  sum[created ? 'created' : added > 0 ? 'grown' : 'unchanged']++
  sum.messages += added
  return undefined
}

const aboutTheFile: ReadonlySet<string> = new Set(['invalid_key', 'invalid_request', 'too_large'])
