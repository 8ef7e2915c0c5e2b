/**
 * Intent, then result: that a part is about to be sent is written down before it is. When its sender dies in between, nobody can know
 * whether it arrived, and who sends it again says so.
 */
import type { ChatPlace } from '../domain/channel/key.ts'
import type { ChatLanguage } from '../domain/channel/words.ts'
import type { Instant } from '../domain/instant.ts'
import { selectChat } from '../store/queries/channel-chats.ts'
import { selectChannel } from '../store/queries/channels.ts'
import { selectOutgoing, updateOutgoing } from '../store/queries/outgoing.ts'
import { defineUseCase } from '../store/store.ts'
import { chatStream } from './chat-record.ts'

interface Next extends ChatPlace {
  readonly n: number
  readonly holder: string
}

export interface Begun {
  readonly content: string
  /** The part that is next, from 0. */
  readonly part: number
  readonly maybeSent: boolean
  readonly attempts: number
  readonly language: ChatLanguage
  readonly createdAt: Instant
}

export const beginSending = defineUseCase({
  name: 'begin-sending',
  streams: (input: Next) => [chatStream(input)],
  run: async (tx, { holder, ...which }, { now }): Promise<{ begun: Begun | null }> => {
    const row = await tx.first(selectOutgoing, which)
    const isOurs = (await tx.first(selectChannel, which))?.holder === holder
    if (!row || !isOurs || row.not_before > now) return { begun: null }
    const maybeSent = row.state === 'sending' || row.maybe_sent === 1
    await tx.write(updateOutgoing, { ...row, state: 'sending', maybe_sent: maybeSent ? 1 : 0 })
    const language = (await tx.first(selectChat, which))?.language ?? 'en'
    const { content, parts_sent: part, attempts, created_at: createdAt } = row
    return { begun: { content, part, maybeSent, attempts, language, createdAt } }
  },
})
