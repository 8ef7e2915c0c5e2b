/** What a person says of a conversation as a whole: how far they have read it (UI1), and its title. */
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import { keepSeen } from '../../store/conversations/seen.ts'
import { defineUseCase } from '../../store/store.ts'
import { conversationView } from './conversation-activity.ts'
import { changeConversation, currentConversation, existingConversation, streamOfKey } from './conversation-record.ts'

interface Seen {
  readonly key: string
  readonly personId: string
  readonly seq: number
}

/** Never goes back: another device may have read further. */
export const markSeen = defineUseCase('mark-seen', {
  streams: ({ key }: Seen) => [streamOfKey(key)],
  run: async (tx, seen): Promise<void> => {
    await existingConversation(tx, seen.key)
    await tx.write(keepSeen, seen)
  },
})

interface Title {
  readonly key: string
  /** null: as the agent says, or the first prompt. */
  readonly title: string | null
  readonly by: string
}

/** A title that a person gave stays; the agent's no longer replace it. */
export const setTitle = defineUseCase('set-title', {
  streams: ({ key }: Title) => [streamOfKey(key)],
  run: async (tx, { key, title, by }, { now }): Promise<Conversation> => {
    const row = await currentConversation(tx, key, now)
    tx.append(conversationStream(key), { type: 'title-set', data: { title, by } })
    const changed = await changeConversation(tx, row, { title, titled_by: title === null ? null : by }, row.updated_at)
    return conversationView(tx, changed)
  },
})
