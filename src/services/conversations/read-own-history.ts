/**
 * Returns history to an agent from the conversation of its call (CX3, `get_history`): earlier messages, one day, or search
 * hits. Between agents only what the same context asked.
 */
import { parseDay } from '../../domain/conversations/chapter.ts'
import { selectChapter } from '../../store/conversations/chapters.ts'
import { afterAllMessages, messagesWithin } from '../../store/conversations/messages.ts'
import { defineQuery } from '../../store/store.ts'
import { senderNames } from '../turns/context-record.ts'
import { type ContextCaller, ownConversation } from './own-conversation.ts'
import { searchMessages } from './search-messages.ts'

interface HistoryQuery extends ContextCaller {
  readonly before?: number | undefined
  readonly day?: string | undefined
  readonly q?: string | undefined
  readonly limit: number
}

export interface OwnHistory {
  readonly key: string
  readonly messages: readonly { seq: number; sender: string; role: string; content: string; createdAt: string }[]
  /** Where the next older page ends. Null if there is none. */
  readonly before: number | null
}

export const readOwnHistory = defineQuery(
  async (reader, { before = afterAllMessages, day, q, limit, ...caller }: HistoryQuery, context): Promise<OwnHistory> => {
    const { key, originKey } = await ownConversation(reader, caller)
    const of = day === undefined ? undefined : parseDay(day)
    const chapter = of === undefined ? undefined : await reader.first(selectChapter, { key, day: of })
    const open = await reader.row('conversations', { key })
    const isOpenDay = of !== undefined && open?.chapter_day === of
    const after = chapter ? chapter.after_seq : isOpenDay ? open.chapter_after : 0
    const through = chapter && !isOpenDay ? chapter.through_seq : afterAllMessages
    const none = day !== undefined && !chapter && !isOpenDay
    const hits =
      q === undefined ? undefined : await searchMessages.run(reader, { q, conversation: key, limit, accountId: null }, context)
    const rows = none
      ? []
      : hits
        ? await messagesWithin(reader, { key, originKey, seqs: hits.items.map(({ seq }) => seq) })
        : await messagesWithin(reader, { key, originKey, after, before: Math.min(before, through + 1), limit })
    const names = await senderNames(reader, rows)
    const oldest = Math.min(...rows.map(({ seq }) => seq))
    return {
      key,
      messages: rows.map((row) => ({
        seq: row.seq,
        sender: names(row),
        role: row.role,
        content: row.content,
        createdAt: row.createdAt,
      })),
      before: hits === undefined && rows.length === limit ? oldest : null,
    }
  },
)
