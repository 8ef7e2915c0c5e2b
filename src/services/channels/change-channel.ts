/** What people decide about channels: pairing codes and the agent of a channel (CN2). */

import { chatWords } from '../../domain/channels/chat-texts.ts'
import type { ChannelName, ChatAddress } from '../../domain/channels/key.ts'
import { maxPairingCodes, newCode, pairingCodeLifetimeMs } from '../../domain/channels/pairing.ts'
import { Refusal } from '../../domain/errors.ts'
import { later } from '../../domain/instant.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets/secrets.ts'
import type {
  Channel,
  ChannelChat,
  ChannelRoute,
  PairingCode,
} from '../../protocol/channels/channel.ts'
import { chatOf, selectChat, selectPairingCodes } from '../../store/channels/channels.ts'
import { defineUseCase } from '../../store/store.ts'
import { checkAssigned } from '../projects/project-record.ts'
import {
  chatStream,
  isServed,
  noSuchChat,
  openChannel,
  queueOutgoing,
} from './channel-chat-record.ts'
import { announceChannel } from './hold-channel.ts'

/** Creates a code that pairs one chat, once, within ten minutes (CN2). It is shown once. */
export const createPairingCode = defineUseCase('create-pairing-code', {
  scope: 'manage',
  on: 'channel',
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

interface PersonInput {
  readonly channel: ChannelName
  readonly userId: string
  readonly by: string
}

/** Signs somebody out of a channel (CN4). They may be paired again with another code. */
export const signOutChannelPerson = defineUseCase('sign-out-channel-person', {
  scope: 'manage',
  on: 'channel',
  streams: () => [home],
  run: async (tx, { channel, userId, by }: PersonInput): Promise<void> => {
    const row = { channel, user_id: userId }
    if (!(await tx.row('channel_people', row)))
      throw new Refusal('not_found', refusalText('noPersonThere', { id: userId, channel }), {
        userId,
      })
    await tx.delete('channel_people', row)
    tx.append(home, { type: 'channel-person-signed-out', data: { channel, userId, by } })
  },
})

/** Queues a test message for a chat that is served. */
export const sendTestMessage = defineUseCase('send-test-message', {
  scope: 'manage',
  on: 'channel',
  streams: (input: ChatAddress & { by: string }) => [chatStream(input)],
  run: async (tx, place, { now }): Promise<ChannelChat> => {
    const row = await tx.first(selectChat, place)
    if (!row) throw noSuchChat(place)
    if (!(await isServed(tx, row)))
      throw new Refusal('wrong_state', refusalText('chatNotServed', { state: row.state }), {
        state: row.state,
      })
    await queueOutgoing(tx, place, chatWords(row.language, row.channel).test, now)
    return chatOf(row)
  },
})

interface RouteInput {
  readonly channel: ChannelName
  readonly route: ChannelRoute | null
  readonly by: string
}

/**
 * Sets the agent for chats without a route of their own. Null restores the default, the first agent
 * of the first project.
 */
export const setChannelRoute = defineUseCase('set-channel-route', {
  scope: 'manage',
  on: 'channel',
  streams: () => [home],
  run: async (tx, { channel, route, by }: RouteInput, { now }): Promise<Channel> => {
    if (route) await checkAssigned(tx, route)
    await openChannel(tx, channel, now)
    await tx.update('channels', {
      channel,
      project_id: route?.projectId ?? null,
      agent_id: route?.agentId ?? null,
    })
    return announceChannel(tx, channel, by, now)
  },
})
