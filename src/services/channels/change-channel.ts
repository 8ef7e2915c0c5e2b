/** What people decide about channels: pairing codes, the agent of a channel, and its chats (CN2). */

import type * as z from 'zod'
import { chatWords } from '../../domain/channels/chat-texts.ts'
import { type ChannelName, type ChatAddress, channelKey } from '../../domain/channels/key.ts'
import {
  type ChatState,
  maxPairingCodes,
  newCode,
  pairingCodeLifetimeMs,
} from '../../domain/channels/pairing.ts'
import { Refusal } from '../../domain/errors.ts'
import { later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type {
  Channel,
  ChannelChat,
  ChannelChatChange,
  ChannelRoute,
  PairingCode,
} from '../../protocol/channels/channel.ts'
import {
  type ChatRow,
  chatOf,
  deleteOutgoingOf,
  selectChat,
  selectPairingCodes,
  updateChannel,
} from '../../store/channels/channels.ts'
import { defineUseCase, type Tx } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import { clearLimitsIn } from '../turns/limit-record.ts'
import { cancelQueuedTurns } from '../turns/turn-record.ts'
import { chatStream, openChannel, queueOutgoing, writeChat } from './channel-chat-record.ts'
import { announceChannel } from './hold-channel.ts'

type Change = z.output<typeof ChannelChatChange> & ChatAddress & { readonly by: string }

/** The states from which each decision is allowed. */
const before: Record<Exclude<ChatState, 'asking'>, readonly ChatState[]> = {
  paired: ['asking', 'refused', 'revoked'],
  refused: ['asking'],
  revoked: ['paired'],
}

/** Pairs, refuses or revokes a chat, or sets its agent. A repeated request changes nothing. */
export const changeChannelChat = defineUseCase('change-channel-chat', {
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

/** Creates a code that pairs one chat, once, within ten minutes (CN2). It is shown once. */
export const createPairingCode = defineUseCase('create-pairing-code', {
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { channel, by }: { channel: ChannelName; by: string },
    { now, random },
  ): Promise<PairingCode> => {
    const codes = await tx.all(selectPairingCodes, { channel, limit: 2 * maxPairingCodes })
    const valid = codes.filter(({ expires_at }) => expires_at > now).slice(-(maxPairingCodes - 1))
    for (const each of codes)
      if (!valid.includes(each)) await tx.delete('pairing_codes', { channel, hash: each.hash })
    const code = newCode(random.text)
    const expiresAt = later(now, pairingCodeLifetimeMs)
    await tx.insert('pairing_codes', {
      channel,
      hash: hashSecret(code),
      created_by: by,
      created_at: now,
      expires_at: expiresAt,
    })
    const link = (await tx.row('channels', { channel }))?.link ?? null
    return { code, expiresAt, link: link && `${link}?start=${code}` }
  },
})

interface RouteInput {
  readonly channel: ChannelName
  readonly route: ChannelRoute | null
  readonly by: string
}

/** Sets the agent for chats without a route of their own. Null restores the default, the first agent of the first project. */
export const setChannelRoute = defineUseCase('set-channel-route', {
  streams: () => [home],
  run: async (tx, { channel, route, by }: RouteInput, { now }): Promise<Channel> => {
    if (route) await checkAssigned(tx, route)
    const row = await openChannel(tx, channel, now)
    await tx.write(updateChannel, {
      ...row,
      project_id: route?.projectId ?? null,
      agent_id: route?.agentId ?? null,
    })
    return announceChannel(tx, channel, by, now)
  },
})
