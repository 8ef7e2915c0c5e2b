/**
 * Pairs, refuses or revokes a chat on another platform, or sets its agent. With a revoked chat,
 * what waits in it ends.
 */

import type * as z from 'zod'
import { chatWords } from '../../domain/channels/chat-texts.ts'
import { type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import type { ChatState } from '../../domain/channels/pairing.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import type { ChannelChat, ChannelChatChange } from '../../protocol/channels/channel.ts'
import {
  type ChatRow,
  chatOf,
  deleteOutgoingOf,
  selectChat,
} from '../../store/channels/channels.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { chatStream, queueOutgoing, writeChat } from '../channels/channel-chat-record.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { clearLimitsIn } from '../turns/limit-record.ts'
import { cancelQueuedTurns } from '../turns/turn-record.ts'

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
  run: async (tx, { state, route, by, ...place }, { now }): Promise<ChannelChat> => {
    const row = await tx.first(selectChat, place)
    if (!row)
      throw new Refusal(
        'not_found',
        refusalText('noChatThere', { id: place.chatId, channel: place.channel }),
        {
          chatId: place.chatId,
        },
      )
    if (route) await checkAssigned(tx, route)
    const routed =
      route === undefined
        ? row
        : { ...row, project_id: route?.projectId ?? null, agent_id: route?.agentId ?? null }
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
  const words = chatWords(language)
  if (state === 'revoked') {
    await cancelQueuedTurns(tx, channelKey(place), now)
    await tx.delete('unread_messages', { conversation_key: channelKey(place) })
    await tx.write(deleteOutgoingOf, place)
    await clearLimitsIn(tx, channelKey(place), now)
  }
  if (state !== 'asking') await queueOutgoing(tx, place, words[state], now)
}
