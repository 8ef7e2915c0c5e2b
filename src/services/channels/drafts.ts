/**
 * Answers that are shown while they are written (CN8): a message that is edited, and becomes the
 * first part of the answer. Which message that is stands in the chat's row, so that another process
 * takes it over.
 */
import { type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import { selectChat } from '../../store/channels/channels.ts'
import { selectOutboxOf } from '../../store/channels/outbox.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { selectRunningIn, turnStream } from '../../store/turns/turns.ts'
import { readTurnOutput } from '../turns/turn-output.ts'
import { chatStream, isServed } from './channel-chat-record.ts'

export interface Draft {
  readonly turnId: string
  readonly text: string
  /** A message was begun; without a `ref` nobody knows whether it arrived. */
  readonly isBegun: boolean
  readonly ref: string | null
}

/** What the agent has written so far in a chat; null when nothing is to be shown. */
export const findDraft = defineQuery('find-draft', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, place: ChatAddress): Promise<Draft | null> => {
    const chat = await reader.first(selectChat, place)
    if (!chat || !(await isServed(reader, chat))) return null
    const running = await reader.all(selectRunningIn, { key: channelKey(place) })
    const turn = running.find(({ about, origin_key }) => about !== 'summary' && origin_key === '')
    // What was queued before comes before it.
    const queued = await reader.first(selectOutboxOf, place)
    if (!turn || Number(queued?.count ?? 0) > 0) return null
    const { id: turnId, started_seq } = turn
    const pieces = { stream: turnStream(turn), turnId, startedSeq: started_seq ?? 0 }
    const { text } = await readTurnOutput(reader, pieces, [])
    const isBegun = chat.draft_turn === turnId
    return { turnId, text: text.trim(), isBegun, ref: isBegun ? chat.draft_ref : null }
  },
})

interface DraftInput extends ChatAddress {
  readonly holder: string
  readonly turnId: string
  /** null: it is about to be sent. */
  readonly ref: string | null
}

/** Records that the message of a draft is about to be sent, and then which it is. */
export const recordDraft = defineUseCase('record-draft', {
  scope: 'server',
  on: 'nobody',
  streams: (input: DraftInput) => [chatStream(input)],
  run: async (tx, { holder, turnId, ref, ...place }): Promise<{ recorded: boolean }> => {
    const chat = await tx.first(selectChat, place)
    const turn = await tx.row('turns', { id: turnId })
    const isOurs = (await tx.row('channels', { channel: place.channel }))?.holder === holder
    const isEarly = ref === null && turn?.state !== 'running'
    if (!chat || !isOurs || isEarly) return { recorded: false }
    if (ref !== null && chat.draft_turn !== turnId) return { recorded: false }
    await tx.update('channel_chats', { ...chat, draft_turn: turnId, draft_ref: ref })
    return { recorded: true }
  },
})
