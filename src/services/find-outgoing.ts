/** What is next to be sent, the first of each chat, and when. */
import type { ChannelName } from '../domain/channel/key.ts'
import type { Instant } from '../domain/instant.ts'
import { selectNextOfChats } from '../store/queries/outgoing.ts'
import { defineQuery } from '../store/store.ts'

/** Looked at together; the rest is looked at next. */
export const chatsAtOnce = 200

export interface NextOutgoing {
  readonly chatId: string
  readonly n: number
  readonly notBefore: Instant
  /** How long it has to wait still. */
  readonly inMs: number
}

export const findOutgoing = defineQuery({
  name: 'find-outgoing',
  withoutSnapshot: true,
  run: async (reader, { channel, after }: { channel: ChannelName; after: string }, { now }): Promise<NextOutgoing[]> => {
    const rows = await reader.all(selectNextOfChats, { channel, after, limit: chatsAtOnce })
    return rows.map(({ chat_id, n, not_before }) => ({
      chatId: chat_id,
      n,
      notBefore: not_before,
      inMs: Math.max(0, Date.parse(not_before) - Date.parse(now)),
    }))
  },
})
