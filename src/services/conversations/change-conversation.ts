/** Changes of a conversation as a whole: its beginning, its title and flags, and how far a person has read it (UI1). */
import { readFlags } from '../../domain/conversations/flags.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Conversation, Flags } from '../../protocol/conversations/conversation.ts'
import { conversationOf, keepSeen } from '../../store/conversations/conversations.ts'
import { defineUseCase } from '../../store/store.ts'
import { conversationView } from './conversation-activity.ts'
import {
  changeConversation,
  currentConversation,
  existingConversation,
  openConversation,
  requireCreatable,
  streamOfKey,
} from './conversation-record.ts'

/** Never goes back: another device may have read further. */
export const markSeen = defineUseCase('mark-seen', {
  streams: ({ key }: { key: string; personId: string; seq: number }) => [streamOfKey(key)],
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

/** Returns the conversation of a key, creating it if needed (CV1). */
export const getOrCreateConversation = defineUseCase('get-or-create-conversation', {
  streams: ({ key }: { key: string }) => [streamOfKey(key)],
  run: async (tx, { key }, { now }): Promise<{ conversation: Conversation; created: boolean }> => {
    await requireCreatable(tx, key)
    const { row, created } = await openConversation(tx, key, now)
    return { conversation: conversationOf(row), created }
  },
})

/** Replaces the flags of a conversation (CV3). */
export const setFlags = defineUseCase('set-flags', {
  streams: ({ key }: { key: string; flags: Flags }) => [streamOfKey(key)],
  run: async (tx, { key, flags }, { now }): Promise<Flags> => {
    const row = await currentConversation(tx, key, now)
    const read = readFlags(flags)
    if ('refused' in read) throw new Refusal(read.refused.code, read.refused.detail, { field: read.refused.field })
    tx.append(conversationStream(key), { type: 'flags-set', data: { flags: read.flags } })
    await changeConversation(tx, row, { flags: JSON.stringify(read.flags) }, now)
    return read.flags
  },
})
