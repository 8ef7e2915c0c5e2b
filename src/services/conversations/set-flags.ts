/** Replaces the flags of a conversation (CV3). */
import { readFlags } from '../../domain/conversations/flags.ts'
import { Refusal } from '../../domain/errors.ts'
import { conversationStream } from '../../domain/stream-name.ts'
import type { Flags } from '../../protocol/conversations/conversation.ts'
import { defineUseCase } from '../../store/store.ts'
import { changeConversation, currentConversation, streamOfKey } from './conversation-record.ts'

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
