/**
 * Produces the file of a conversation piece by piece, so that memory use does not depend on its length. The pieces form one
 * consistent state: messages never change, so those up to the last one of the first read are the same in later reads.
 */
import { fileHeadOf, fileMessageOf } from '../protocol/conversations/conversation-file.ts'
import type { Message } from '../protocol/conversations/message.ts'
import { type ConversationRow, conversationOf, selectConversation } from '../store/conversations/conversations.ts'
import { messagesAfter } from '../store/conversations/messages.ts'
import type { MirrorSource } from './mirror-target.ts'

const messagesAtOnce = 500

/** The conversation was deleted while it was being written. */
export class ConversationDeleted extends Error {}

/** `head`: the newest event of the stream when `row` was read. */
export async function* conversationText(store: MirrorSource, row: ConversationRow, head: number): AsyncGenerator<Buffer> {
  const { key, ...after } = fileHeadOf(conversationOf(row))
  yield Buffer.from(`{\n  "key": ${JSON.stringify(key)},\n  "messages": [`)
  let isFirst = true
  for await (const messages of pagesOf(store, row, head)) {
    yield Buffer.from(`${isFirst ? '' : ','}${indented(messages.map(fileMessageOf)).slice(1, -'\n  ]'.length)}`)
    isFirst = false
  }
  yield Buffer.from(`${isFirst ? '' : '\n  '}],\n${JSON.stringify(after, null, 2).slice('{\n'.length)}\n`)
}

/** Indents JSON by one level. Line breaks in it are never part of a value. */
const indented = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')

async function* pagesOf(store: MirrorSource, row: ConversationRow, head: number): AsyncGenerator<Message[]> {
  for (let seq = row.kept_after; ; ) {
    const after = seq
    const { found, stillThere } = await store.read(async (reader) => ({
      found: await messagesAfter(reader, { key: row.key, seq: after, hidden: false, limit: messagesAtOnce }),
      stillThere: (await reader.first(selectConversation, { key: row.key }))?.created_at === row.created_at,
    }))
    if (!stillThere) throw new ConversationDeleted()
    const messages = found.filter((message) => message.seq <= head)
    if (messages.length > 0) yield messages
    if (messages.length < messagesAtOnce) return
    seq = messages.at(-1)?.seq ?? seq
  }
}
