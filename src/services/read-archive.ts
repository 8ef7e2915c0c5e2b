/**
 * A part of all that was ever said in a conversation, oldest first, also what agents are no longer handed: the newest, what is
 * before or behind a message, or what stands around one. Costs the same wherever it is (UI7).
 */
import type { ArchivePart, ArchiveQuery } from '../protocol/archive.ts'
import { behindAll, messagesAfter, messagesBefore } from '../store/queries/messages.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { existingConversation, streamOfKey } from './conversation-record.ts'

type Wanted = ArchiveQuery & { readonly key: string }

export const readArchive = defineQuery({
  name: 'read-archive',
  run: async (reader, wanted: Wanted): Promise<ArchivePart> => {
    streamOfKey(wanted.key)
    await existingConversation(reader, wanted.key)
    const { before, after, around, limit } = wanted
    if (after !== undefined) return behind(reader, wanted, after, limit)
    if (around === undefined) return upTo(reader, wanted, before ?? behindAll, limit, before !== undefined)
    const older = await upTo(reader, wanted, around, Math.ceil(limit / 2), false)
    const newer = await behind(reader, wanted, around - 1, limit - older.items.length)
    return { items: [...older.items, ...newer.items], older: older.older, newer: newer.newer }
  },
})

/** One more than asked for tells whether there is more; on the other side there is what the caller has. */
async function upTo(reader: Reader, { key, hidden }: Wanted, seq: number, limit: number, newer: boolean): Promise<ArchivePart> {
  const found = await messagesBefore(reader, { key, seq, hidden, limit: limit + 1 })
  return { items: found.slice(0, limit).reverse(), older: found.length > limit, newer }
}

async function behind(reader: Reader, { key, hidden }: Wanted, seq: number, limit: number): Promise<ArchivePart> {
  const found = await messagesAfter(reader, { key, seq, hidden, limit: limit + 1 })
  return { items: found.slice(0, limit), older: true, newer: found.length > limit }
}
