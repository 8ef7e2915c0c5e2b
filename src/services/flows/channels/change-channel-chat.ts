/**
 * Pairs, refuses or revokes a chat on another platform, or sets its agent. With a revoked chat,
 * what waits in it ends.
 */

import type * as z from 'zod'
import { chatWords } from '../../../domain/channels/chat-texts.ts'
import { type ChatAddress, channelKey } from '../../../domain/channels/key.ts'
import type { ChatState } from '../../../domain/channels/pairing.ts'
import { Refusal } from '../../../domain/errors.ts'
import { refusalText } from '../../../domain/refusal-texts.ts'
import { home } from '../../../domain/stream-name.ts'
import type { ChannelChat, ChannelChatChange } from '../../../protocol/channels/channel.ts'
import {
  type ChatRow,
  chatOf,
  selectChat,
  selectThreads,
} from '../../../store/channels/channels.ts'
import { defineUseCase, type Tx } from '../../../store/store.ts'
import {
  chatStream,
  noSuchChat,
  queueOutgoing,
  writeChat,
} from '../../channels/channel-chat-record.ts'
import { checkAssigned } from '../../projects/project-record.ts'
import { clearLimitsIn } from '../../turns/limit-record.ts'
import { cancelQueuedTurns } from '../../turns/turn-record.ts'

type Change = z.output<typeof ChannelChatChange> & ChatAddress & { readonly by: string }

/** The states from which each decision is allowed. */
const before: Record<Exclude<ChatState, 'asking'>, readonly ChatState[]> = {
  paired: ['asking', 'refused', 'revoked'],
  refused: ['asking'],
  revoked: ['paired'],
}

/** Pairs, refuses or revokes a chat, or sets its agent. A repeated request changes nothing. */
export const changeChannelChat = defineUseCase('change-channel-chat', {
  scope: 'manage',
  on: 'channel',
  streams: (input: Change) => [chatStream(input), home],
  run: async (tx, { state, route, hears, by, ...place }, { now }): Promise<ChannelChat> => {
    const row = await tx.first(selectChat, place)
    // A thread is let in with its chat.
    if (!row || row.parent_id !== null) throw noSuchChat(place)
    if (route) await checkAssigned(tx, route)
    const heard = hears === undefined ? row : { ...row, hears }
    const routed =
      route === undefined
        ? heard
        : { ...heard, project_id: route?.projectId ?? null, agent_id: route?.agentId ?? null }
    const decides = state !== undefined && state !== row.state
    if (decides && !before[state].includes(row.state))
      throw new Refusal(
        'wrong_state',
        refusalText('chatCannot', { state: row.state, wanted: state }),
        { state: row.state },
      )
    const changed = decides
      ? {
          ...routed,
          state,
          attempts: 0,
          decided_at: now,
          decided_by: by,
          trouble: null,
          notice: null,
        }
      : routed
    if (decides) await announceDecision(tx, changed, place, now)
    if (JSON.stringify(changed) !== JSON.stringify(row)) await writeChat(tx, changed, by)
    return chatOf(changed)
  },
})

async function announceDecision(
  tx: Tx,
  { state, language }: ChatRow,
  place: ChatAddress,
  now: string,
): Promise<void> {
  if (state === 'revoked') {
    const of = { channel: place.channel, parentId: place.chatId, limit: maxThreads }
    for (const { chat_id: chatId } of await tx.all(selectThreads, of))
      await endWaiting(tx, { channel: place.channel, chatId }, now)
    await endWaiting(tx, place, now)
  }
  if (state !== 'asking')
    await queueOutgoing(tx, place, chatWords(language, place.channel)[state], now)
}

/** Threads of a chat in which something may still wait. Older ones have long been answered. */
const maxThreads = 200

async function endWaiting(tx: Tx, place: ChatAddress, now: string): Promise<void> {
  tx.lock(chatStream(place))
  await cancelQueuedTurns(tx, channelKey(place), now)
  await tx.delete('unread_messages', { conversation_key: channelKey(place) })
  await tx.delete('outbox', { target: place.channel, lane: place.chatId })
  await clearLimitsIn(tx, channelKey(place), now)
}
