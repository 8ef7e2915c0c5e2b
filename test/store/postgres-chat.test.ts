/** Chat on PostgreSQL: the same use cases behind its locks, its types and its idea of text. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { conversationStream, projectStream } from '../../src/domain/stream-name.ts'
import { PanelSweeper } from '../../src/jobs/panel-sweeper.ts'
import { listAgentSessions } from '../../src/services/agent-sessions/queries.ts'
import { deleteConversation } from '../../src/services/conversations/delete-conversation.ts'
import { getOrCreateConversation } from '../../src/services/conversations/get-or-create-conversation.ts'
import { touchPanels } from '../../src/services/conversations/panels.ts'
import { getConversation, listConversations } from '../../src/services/conversations/queries.ts'
import { sendMessage } from '../../src/services/conversations/send-message.ts'
import { setFlags } from '../../src/services/conversations/set-flags.ts'
import { setHistory } from '../../src/services/conversations/set-history.ts'
import { setSummary } from '../../src/services/conversations/set-summary.ts'
import { startChat } from '../../src/services/conversations/start-chat.ts'
import { truncateHistory } from '../../src/services/conversations/truncate-history.ts'
import { selectPanels } from '../../src/store/conversations/panels.ts'
import { nowhere } from '../services/agent-sessions/agent-office.ts'
import { play, playAtOnce, steps } from '../services/conversations/chat-play.ts'
import { openRoom } from '../services/conversations/chat-room.ts'
import { conversationsOr, manyWritersLoseNothing } from '../services/conversations/many-writers.ts'
import { by } from '../services/projects/installation.ts'
import { manualClock } from '../support/manual-clock.ts'
import { newPostgresStoreUrl } from '../support/postgres.ts'
import { openPostgres } from '../support/postgres-store.ts'

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
  const sent = await Promise.all(Array.from({ length: 10 }, () => room.say('once 🙂', { clientId: 'c1' })))
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
  await store.run(startChat, { projectId: room.projectId, agentId: 'ann', by })
  expect([(await room.list()).length, (await room.list(true)).length]).toEqual([1, 2])
  const agentSession = await room.begin()
  const { messages } = await room.handOver(agentSession)
  await room.answer(agentSession, 'yes', 'a1')
  expect(await room.answer(agentSession, 'yes', 'a1')).toMatchObject({ answered: [messages[0]?.id] })
  await store.run(setSummary, { ...agentSession, conversationKey: room.key, summary: 's', throughSeq: messages[0]?.seq ?? 0 })
  expect(await store.query(getConversation, { key: room.key })).toMatchObject({ summary: 's', messageCount: 1 })
  await store.run(setFlags, { key: room.key, flags: { localOnly: true, other: { 設計: ['\u0000'] } } })
  expect((await store.query(getConversation, { key: room.key })).flags).toEqual({ localOnly: true, other: { 設計: ['\u0000'] } })
  const history = ['a', 'b', 'c'].map((content) => ({ role: 'user' as const, content, toolCalls: [{ id: 1 }] }))
  await store.run(setHistory, { key: room.key, messages: history, by })
  expect(await store.run(truncateHistory, { key: room.key, keepLast: 2 })).toMatchObject({ messageCount: 2 })
  const told = await store.run(sendMessage, { ...agentSession, toAgentId: 'ben', content: 'hello' })
  expect((await room.handOver(await room.begin('ben'))).messages).toMatchObject([{ id: told.messageId, content: 'hello' }])
  const { items } = await store.query(listConversations, { accountId: null, limit: 50 })
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

test('[SC2] [CH5] panels on two nodes: one that either node sees stays open, and the last is closed once however many sweep', async () => {
  const url = await newPostgresStoreUrl()
  const clock = manualClock()
  const nodes = [await openPostgres({ url, clock }), await openPostgres({ url, clock })] as const
  const room = await openRoom(nodes[0])
  const pair = { projectId: room.projectId, agentId: 'ann' }
  const panelIds = Array.from({ length: 10 }, (_, number) => `p${number}`)
  await Promise.all(panelIds.map((panelId, at) => nodes[at % 2]?.run(startChat, { ...pair, panelId, by })))
  await room.begin()
  const sweepers = nodes.map((store) => new PanelSweeper({ store, clock, logger: nowhere }))
  const sweep = () => Promise.all(sweepers.map((sweeper) => sweeper.round()))
  const state = async () => (await nodes[1].query(listAgentSessions, { projectId: room.projectId, limit: 1 })).items[0]?.state
  await sweep()
  for (let passed = 0; passed < 62_000; passed += 2000) {
    clock.advance(2000)
    await Promise.all(nodes.map((store) => store.run(touchPanels, { panelIds: panelIds.slice(0, 2) })))
    await sweep()
  }
  const left = () =>
    nodes[0].read((reader) => reader.all(selectPanels, { project_id: pair.projectId, agent_id: 'ann', limit: 99 }))
  expect((await left()).map(({ panel_id }) => panel_id).sort()).toEqual(['p0', 'p1'])
  expect(await state()).toBe('active')
  for (let passed = 0; passed < 60_000; passed += 2000) {
    clock.advance(2000)
    await sweep()
  }
  expect([await left(), await state()]).toEqual([[], 'terminating'])
  const events = await nodes[1].eventsAfter(projectStream(room.projectId), 0, 100)
  expect(events.filter(({ type }) => type === 'agent-session-terminating')).toHaveLength(1)
}, 60_000)
