/** What became of a part that was sent: it arrived, it is tried again later, or it never will be. */
import type { ChatPlace } from '../domain/channel/key.ts'
import { later } from '../domain/instant.ts'
import { mask } from '../platform/mask.ts'
import { selectChat, updateChat } from '../store/queries/channel-chats.ts'
import { updateLastOut } from '../store/queries/channels.ts'
import { deleteOutgoing, selectOutgoing, updateOutgoing } from '../store/queries/outgoing.ts'
import { defineUseCase, type Tx } from '../store/store.ts'
import { chatStream } from './chat-record.ts'

export type SentOutcome =
  | { readonly is: 'sent'; readonly isLast: boolean }
  /** `maybeSent`: the answer did not come, so nobody knows. */
  | { readonly is: 'later'; readonly afterMs: number; readonly maybeSent: boolean }
  | { readonly is: 'never'; readonly why: string }

interface Sent extends ChatPlace {
  readonly n: number
  readonly part: number
  readonly outcome: SentOutcome
}

export const noteSent = defineUseCase({
  name: 'note-sent',
  streams: (input: Sent) => [chatStream(input)],
  run: async (tx, { part, outcome, ...which }, { now }): Promise<{ noted: boolean }> => {
    const row = await tx.first(selectOutgoing, which)
    if (!row || row.parts_sent !== part) return { noted: false }
    if (outcome.is === 'later') {
      const notBefore = later(now, outcome.afterMs)
      const waiting = { ...row, state: 'waiting', attempts: row.attempts + 1, not_before: notBefore } as const
      await tx.write(updateOutgoing, { ...waiting, maybe_sent: outcome.maybeSent || row.maybe_sent === 1 ? 1 : 0 })
      return { noted: true }
    }
    if (outcome.is === 'never' || outcome.isLast) await tx.write(deleteOutgoing, which)
    else await tx.write(updateOutgoing, { ...row, parts_sent: part + 1, state: 'waiting', maybe_sent: 0, attempts: 0 })
    await noteChat(tx, which, outcome.is === 'never' ? mask(outcome.why) : null, now)
    return { noted: true }
  },
})

async function noteChat(tx: Tx, place: ChatPlace, trouble: string | null, now: string): Promise<void> {
  const chat = await tx.first(selectChat, place)
  if (chat) await tx.write(updateChat, { ...chat, trouble, last_out_at: trouble === null ? now : chat.last_out_at })
  if (trouble === null) await tx.write(updateLastOut, { channel: place.channel, now })
}
