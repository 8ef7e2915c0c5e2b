/** A person's or a program's summary of a conversation (CV1 setSummary): the text alone; what it covers stays where it is. */
import { conversationStream } from '../domain/stream/name.ts'
import type { Conversation } from '../protocol/conversation.ts'
import { conversationOf } from '../store/queries/conversations.ts'
import { defineUseCase } from '../store/store.ts'
import { beginChapter } from './chapter-record.ts'
import { changeConversation, currentConversation, streamOfKey } from './conversation-record.ts'

export const setConversationSummary = defineUseCase({
  name: 'set-conversation-summary',
  streams: ({ key }: { key: string; summary: string }) => [streamOfKey(key)],
  run: async (tx, { key, summary }, { now }): Promise<Conversation> => {
    const found = await currentConversation(tx, key, now)
    // DC2: what is to be kept of a day is in a chapter, though nothing was said.
    const row = found.chapter_day === null && summary !== '' ? await beginChapter(tx, found, now) : found
    const data = { summary, throughSeq: row.summary_through }
    tx.append(conversationStream(key), { type: 'summary-set', data })
    return conversationOf(await changeConversation(tx, row, { summary }, now))
  },
})
