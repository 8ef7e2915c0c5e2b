/** Who is let in, and how much an unpaired sender can do before (CN2). */

import { expect, test } from 'vitest'
import type { ChatAddress } from '../../../src/domain/channels/key.ts'
import {
  askingLifetimeMs,
  maxAskingChats,
  maxUnpairedAttempts,
  pairingCodeLifetimeMs,
} from '../../../src/domain/channels/pairing.ts'
import { createPairingCode } from '../../../src/services/channels/change-channel.ts'
import { changeChannelChat } from '../../../src/services/flows/channels/change-channel-chat.ts'
import { takeIncoming } from '../../../src/services/flows/channels/take-incoming.ts'
import { selectChat } from '../../../src/store/channels/channels.ts'
import { defineQuery, type Store } from '../../../src/store/store.ts'
import { channel, chatsOf } from '../../adapters/telegram-room.ts'
import { openTestStore } from '../../support/store.ts'
import { by } from '../projects/installation.ts'

/** Writes from a chat, and answers its state afterwards. */
async function hear(store: Store, content: string, chatId = '7') {
  const sender = { kind: 'person', title: 'Eve', handle: null, language: 'en' } as const
  const said = { senderId: `${channel}:${chatId}`, senderName: 'Eve', messageId: '1', content }
  const from = { parentId: null, isForUs: true, platformId: '1', userId: chatId }
  const rest = { attachment: null, command: undefined, ...from }
  await store.run(takeIncoming, { channel, chatId, ...sender, ...said, ...rest })
  const row = await store.query(stateOfChat, { channel, chatId })
  return { state: row?.state ?? null }
}

const stateOfChat = defineQuery('state-of-chat', {
  scope: 'server',
  on: 'nobody',
  run: (reader, place: ChatAddress) => reader.first(selectChat, place),
})

const newCode = async (store: Store): Promise<string> =>
  (await store.run(createPairingCode, { channel, by })).code

test('[CN2] a code lets in one chat, once, within its time, however it is typed', async () => {
  const { store, clock } = await openTestStore()
  const code = await newCode(store)
  expect(code).toMatch(/^[2-9B-DF-HJ-NP-TV-XZ]{4}-[2-9B-DF-HJ-NP-TV-XZ]{4}$/)
  expect(await hear(store, 'hello')).toEqual({ state: 'asking' })
  expect(await hear(store, code.toLowerCase().replace('-', ' '))).toEqual({ state: 'paired' })
  expect(await hear(store, code, '8')).toEqual({ state: 'asking' })
  const late = await newCode(store)
  clock.advance(pairingCodeLifetimeMs)
  expect(await hear(store, late, '8')).toEqual({ state: 'asking' })
})

test('[CN2] after a few wrong codes even the right one is not heard, until the owner decides or a day has passed', async () => {
  const { store, clock } = await openTestStore()
  for (let attempt = 0; attempt < maxUnpairedAttempts; attempt++) await hear(store, 'BBBB-2222')
  expect(await hear(store, await newCode(store))).toEqual({ state: 'asking' })
  clock.advance(askingLifetimeMs)
  expect(await hear(store, await newCode(store))).toEqual({ state: 'paired' })
})

test('[CN2] no more strangers are listed than fit, and those from yesterday make room', async () => {
  const { store, clock } = await openTestStore()
  for (let n = 0; n < maxAskingChats; n++) await hear(store, 'hello', `${n}`)
  expect(await hear(store, 'hello', 'too many')).toEqual({ state: null })
  expect(await chatsOf(store)).toHaveLength(maxAskingChats)
  clock.advance(askingLifetimeMs)
  expect(await chatsOf(store)).toEqual([])
  expect(await hear(store, 'hello', 'too many')).toEqual({ state: 'asking' })
})

test('[CN2] an owner lets in, refuses and revokes; what makes no sense is refused and changes nothing', async () => {
  const { store } = await openTestStore()
  await hear(store, 'hello')
  const change = (state: 'paired' | 'refused' | 'revoked', chatId = '7') =>
    store.run(changeChannelChat, { channel, chatId, state, by })
  await expect(change('revoked')).rejects.toMatchObject({ code: 'wrong_state' })
  await expect(change('paired', '8')).rejects.toMatchObject({ code: 'not_found' })
  expect(await change('refused')).toMatchObject({ state: 'refused', decidedBy: by })
  expect(await hear(store, 'please')).toEqual({ state: 'refused' })
  expect(await change('paired')).toMatchObject({ state: 'paired' })
  expect(await change('paired')).toMatchObject({ state: 'paired' })
  expect(await change('revoked')).toMatchObject({ state: 'revoked' })
  expect(await hear(store, await newCode(store))).toEqual({ state: 'paired' })
})
