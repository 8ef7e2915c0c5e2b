/** Chat on PostgreSQL: the same use cases behind its locks, its types and its idea of text. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import {
  getOrCreateConversation,
  setFlags,
  setHistory,
  setSummary,
  truncateHistory,
} from '../../../src/services/conversations/change-conversation.ts'
import {
  archiveConversation,
  markSeen,
} from '../../../src/services/conversations/mark-conversation.ts'
import { getConversation, listConversations } from '../../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../../src/services/flows/conversations/delete-conversation.ts'
import { startChat } from '../../../src/services/flows/conversations/start-chat.ts'
import { sendMessage } from '../../../src/services/flows/messages/post-message.ts'
import { manualClock } from '../../support/manual-clock.ts'
import { newPostgresStoreUrl } from '../../support/postgres.ts'
import { openPostgres } from '../../support/postgres-store.ts'
import { by } from '../projects/installation.ts'
import { play, playAtOnce, steps } from './chat-play.ts'
import { openRoom } from './chat-room.ts'
import { conversationsOr, manyWritersLoseNothing } from './many-writers.ts'

const open = async () => openPostgres({ url: await newPostgresStoreUrl(), clock: manualClock() })

test('[SC2] [NA7] whatever the order of writing, fetching, answering and dying: nothing is lost, nothing is answered twice', async () => {
  const store = await open()
  const property = fc.asyncProperty(steps, async (each) => play(await openRoom(store), each))
  await fc.assert(property, { numRuns: 15 })
  const { written, answered } = await playAtOnce(await openRoom(store), { people: 8, messages: 10 })
  expect(answered).toEqual(written)
}, 60_000)

test('[SC2] [CV9] conversations with many writers at once lose and mix nothing', async () => {
  await manyWritersLoseNothing(await open(), conversationsOr(20))
}, 180_000)

test('[SC2] [CH3] the same client id all at once is one message; summaries, flags, cuts and deletions do as on SQLite', async () => {
  const store = await open()
  const room = await openRoom(store, ['ann', 'ben'])
  const sent = await Promise.all(
    Array.from({ length: 10 }, () => room.say('once 🙂', { clientId: 'c1' })),
  )
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  await store.run(startChat, { projectId: room.projectId, agentId: 'ann', by })
  expect([(await room.list()).length, (await room.list(true)).length]).toEqual([1, 2])
  const agentSession = await room.begin()
  const { messages } = await room.handOver(agentSession)
  await room.answer(agentSession, 'yes', 'a1')
  expect(await room.answer(agentSession, 'yes', 'a1')).toMatchObject({
    answered: [messages[0]?.id],
  })
  await store.run(setSummary, {
    ...agentSession,
    conversationKey: room.key,
    summary: 's',
    throughSeq: messages[0]?.seq ?? 0,
  })
  expect(await store.query(getConversation, { key: room.key })).toMatchObject({
    summary: 's',
    messageCount: 1,
  })
  await store.run(setFlags, {
    key: room.key,
    flags: { localOnly: true, other: { 設計: ['\u0000'] } },
  })
  expect((await store.query(getConversation, { key: room.key })).flags).toEqual({
    localOnly: true,
    other: { 設計: ['\u0000'] },
  })
  const history = ['a', 'b', 'c'].map((content) => ({
    role: 'user' as const,
    content,
    toolCalls: [{ id: 1 }],
  }))
  await store.run(setHistory, { key: room.key, messages: history, by })
  expect(await store.run(truncateHistory, { key: room.key, keepLast: 2 })).toMatchObject({
    messageCount: 2,
  })
  const received = await store.run(sendMessage, {
    ...agentSession,
    toAgentId: 'ben',
    content: 'hello',
  })
  expect((await room.handOver(await room.begin('ben'))).messages).toMatchObject([
    { id: received.messageId, content: 'hello' },
  ])
  const { items } = await store.query(listConversations, { viewer: null, limit: 50 })
  expect(items.map(({ key }) => key).sort()).toEqual(['agent:ann~ben', room.key])
  await store.run(deleteConversation, { key: room.key, by })
  expect(await room.list()).toEqual([])
}, 60_000)

test('[SC2] [CV6] a key that cannot be one is refused, and leaves no stream behind', async () => {
  const store = await open()
  for (const key of ['a:\u0000', 'x', 'a:b/c']) {
    const refused = store.run(getOrCreateConversation, { key }).catch((error) => error.code)
    expect(await refused).toBe('invalid_key')
  }
  await store.run(getOrCreateConversation, { key: 'a:b' })
  expect(await store.streamsAfter('', 10)).toEqual([{ name: conversationStream('a:b'), head: 1 }])
}, 60_000)

test('[SC2] [SL2] [SL3] lists, the archive and what is settled are as on SQLite', async () => {
  const store = await open()
  const room = await openRoom(store, ['ann', 'ben'])
  const { seq } = await room.say('first')
  await room.say('second', { toAgentId: 'ben' })
  await store.run(archiveConversation, { key: room.key, archived: true, by: 'amy' })
  await store.run(markSeen, { key: room.key, personId: 'amy', seq, settled: true })
  const { projectId } = room
  const listed = async (wanted: { archived?: boolean; agentId?: string }) => {
    const asked = { projectId, ...wanted, viewer: null, personId: 'amy', limit: 5 }
    return (await store.query(listConversations, asked)).items
  }
  expect(await listed({ archived: true })).toMatchObject([{ agentId: 'ann', settled: true }])
  expect(await listed({ archived: false })).toMatchObject([{ agentId: 'ben', settled: false }])
  await room.say('third')
  expect(await listed({ archived: false, agentId: 'ann' })).toMatchObject([{ archived: false }])
  const live = await store.query(listConversations, { live: true, viewer: null, limit: 5 })
  expect(live.items).toHaveLength(2)
})
