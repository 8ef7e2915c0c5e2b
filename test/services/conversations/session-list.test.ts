/**
 * What people see of sessions in lists: titles, what is read, settled and archived, and the order
 * they come in.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { webKey } from '../../../src/domain/conversations/key.ts'
import {
  archiveConversation,
  markSeen,
  setTitle,
} from '../../../src/services/conversations/mark-conversation.ts'
import { getConversation, listConversations } from '../../../src/services/conversations/queries.ts'
import { conversationsPage } from '../../../src/store/conversations/conversation-list.ts'
import { by, refused } from '../projects/installation.ts'
import { planOf } from '../work/query-plan.ts'
import { openChatStore, openRoom } from './chat-room.ts'

async function open() {
  const testStore = await openChatStore()
  const { store, clock, folder } = testStore
  const room = await openRoom(store, ['ann', 'bob', 'cleo'])
  const { projectId } = room
  const list = async (
    personId: string,
    wanted: { agentId?: string; archived?: boolean; projectId?: string } = {},
  ) => {
    const asked = { projectId, archived: false, ...wanted, viewer: null, personId, limit: 50 }
    return (await store.query(listConversations, asked)).items
  }
  const keyOf = (agentId: string) => webKey(projectId, agentId)
  const agentsIn = async (personId: string, wanted?: Parameters<typeof list>[1]) =>
    (await list(personId, wanted)).map(({ agentId }) => agentId)
  const archive = (agentId: string, archived: boolean, person: string) =>
    store.run(archiveConversation, { key: keyOf(agentId), archived, by: person })
  return { ...room, clock, folder, list, keyOf, agentsIn, archive }
}

test('[SL3] sessions come by their newest last turn, in all, of a project, and of an agent', async () => {
  const { store, clock, say, agentsIn, begin, handOver, answer, projectId } = await open()
  for (const toAgentId of ['ann', 'bob', 'cleo']) {
    await say('hello', { toAgentId })
    clock.advance(1000)
  }
  expect(await agentsIn(by)).toEqual(['cleo', 'bob', 'ann'])
  await say('and again', { toAgentId: 'bob' })
  expect(await agentsIn(by)).toEqual(['bob', 'cleo', 'ann'])
  // The end of a turn moves no row.
  clock.advance(1000)
  const ann = await begin('ann')
  await handOver(ann)
  await answer(ann, 'hello to you')
  expect(await agentsIn(by)).toEqual(['bob', 'cleo', 'ann'])
  expect(await agentsIn(by, { agentId: 'ann' })).toEqual(['ann'])
  const other = await openRoom(store, ['ann'])
  await other.say('elsewhere')
  expect(await agentsIn(by, { agentId: 'ann' })).toEqual(['ann'])
  const page = { viewer: null, personId: by, limit: 2 }
  const all = await store.query(listConversations, page)
  expect(all.items.map((each) => each.projectId)).toEqual([other.projectId, projectId])
  const rest = await store.query(listConversations, { ...page, cursor: all.nextCursor ?? '' })
  expect(rest.items.map(({ agentId }) => agentId)).toEqual(['cleo', 'ann'])
  expect(rest.items[0]).toMatchObject({
    agents: [{ agentId: 'cleo', since: expect.any(String) }],
    unread: false,
    settled: false,
    archived: false,
  })
})

test('[SL3] each list goes through an index alone', async () => {
  const { folder } = await open()
  const wanted = { accountId: null, personId: 'p', archived: false }
  const page = { createdAt: '2026', id: 'x', limit: 51 }
  for (const [which, index] of [
    [{}, 'conversations_newest'],
    [{ projectId: 'p' }, 'conversations_of_project'],
    [{ agentId: 'a' }, 'conversations_of_agent'],
    [{ projectId: 'p', agentId: 'a' }, 'conversations_of_pair'],
  ] as const) {
    const plan = await planOf(join(folder, 'holdfast.db'), (reader) =>
      conversationsPage(reader, page, { ...wanted, ...which }),
    )
    expect(plan[0]).toContain(`USING INDEX ${index} (`)
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([])
  }
})

test('[SL2] what one person archives is out of that person’s list, until something is said', async () => {
  const { say, agentsIn, archive, begin, handOver, answer, list } = await open()
  await say('hello', { toAgentId: 'ann' })
  await say('hello', { toAgentId: 'bob' })
  expect(await archive('ann', true, 'amy')).toMatchObject({ archived: true })
  expect(await agentsIn('amy')).toEqual(['bob'])
  expect(await agentsIn('amy', { archived: true })).toEqual(['ann'])
  expect(await agentsIn('ben')).toEqual(['bob', 'ann'])
  await archive('ann', true, 'ben')
  const ann = await begin('ann')
  await handOver(ann)
  await answer(ann, 'hello to you')
  expect(await agentsIn('amy')).toEqual(['bob', 'ann'])
  expect(await agentsIn('ben', { archived: true })).toEqual([])
  await archive('bob', true, 'amy')
  await archive('bob', false, 'amy')
  expect(await agentsIn('amy')).toEqual(['bob', 'ann'])
  expect((await list('amy'))[1]).toMatchObject({ archived: false })
})

test('[SL2] settled up to a message, it is so for this person alone, until something is said', async () => {
  const { store, say, key, list } = await open()
  const { seq } = await say('hello')
  const marksOf = async (person: string) => {
    const [listed] = await list(person)
    const one = await store.query(getConversation, { key, personId: person })
    expect([one.unread, one.settled]).toEqual([listed?.unread, listed?.settled])
    return [listed?.unread, listed?.settled]
  }
  expect(await marksOf('amy')).toEqual([true, false])
  await store.run(markSeen, { key, personId: 'amy', seq })
  expect(await marksOf('amy')).toEqual([false, false])
  await store.run(markSeen, { key, personId: 'amy', seq, settled: true })
  expect(await marksOf('amy')).toEqual([false, true])
  // What is not said yet cannot be settled, and another device that is behind takes nothing back.
  await store.run(markSeen, { key, personId: 'amy', seq: seq + 1000, settled: true })
  await store.run(markSeen, { key, personId: 'amy', seq: 0, settled: true })
  expect(await marksOf('amy')).toEqual([false, true])
  expect(await marksOf('ben')).toEqual([true, false])
  await say('more')
  expect((await marksOf('amy'))[1]).toBe(false)
})

test('[SL1] a title is a person’s, else the first line of the first prompt', async () => {
  const { store, say, key } = await open()
  await say('\nMend the gate\nIt squeaks.')
  const titleOf = async () => (await store.query(getConversation, { key })).title
  expect(await titleOf()).toBe('Mend the gate')
  await say('Paint it')
  expect(await store.run(setTitle, { key, title: 'The gate', by, archived: true })).toMatchObject({
    title: 'The gate',
    archived: true,
  })
  expect(await titleOf()).toBe('The gate')
  await store.run(setTitle, { key, title: null, by })
  expect(await titleOf()).toBe('Mend the gate')
  expect(await refused(store, () => store.run(archiveConversation, { key, by }))).toMatchObject({
    code: 'invalid_request',
  })
})
