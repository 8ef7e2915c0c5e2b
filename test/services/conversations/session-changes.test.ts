/** What is told of sessions to those who list them (SL4, SL5). */
import { expect, test } from 'vitest'
import { home, projectStream, type StreamName } from '../../../src/domain/stream-name.ts'
import { findOwnersOfEvents } from '../../../src/services/access/event-classes.ts'
import {
  archiveConversation,
  markSeen,
  setTitle,
} from '../../../src/services/conversations/mark-conversation.ts'
import { getConversation, listConversations } from '../../../src/services/conversations/queries.ts'
import { deleteConversation } from '../../../src/services/flows/conversations/delete-conversation.ts'
import type { Store } from '../../../src/store/store.ts'
import { by } from '../projects/installation.ts'
import { openChatStore, openRoom } from './chat-room.ts'

/** What each of these told, in the project and at home, since it was asked last. */
async function listening(store: Store, projectId: string) {
  const heads = new Map<string, number>()
  const newIn = async (stream: StreamName) => {
    const events = await store.eventsAfter(stream, heads.get(stream) ?? 0, 1000)
    heads.set(stream, events.at(-1)?.seq ?? heads.get(stream) ?? 0)
    return events.filter(({ type }) => type === 'session-changed')
  }
  const changes = async () => ({
    project: (await newIn(projectStream(projectId))).map(({ data }) => JSON.parse(data ?? 'null')),
    home: (await newIn(home)).map(({ data }) => JSON.parse(data ?? 'null')),
  })
  await changes()
  return changes
}

test('[SL5] each change that a list shows is told by its key, in the project and at home', async () => {
  const { store } = await openChatStore()
  const { key, projectId, say, begin, handOver, answer } = await openRoom(store)
  const changes = await listening(store, projectId)
  const expectChange = async (what: string) => {
    const { project, home } = await changes()
    expect([what, project[0]]).toEqual([what, { key }])
    expect(home).toEqual(project)
  }
  await say('hello')
  await expectChange('a message')
  const ann = await begin()
  await changes()
  await handOver(ann)
  await expectChange('a turn that begins')
  await answer(ann, 'hello to you')
  await expectChange('its answer')
  await store.run(setTitle, { key, title: 'Ours', by })
  await expectChange('a title')
  await store.run(deleteConversation, { key, by })
  await expectChange('its end')
})

test('[SL5] what is one person’s own is told to that person alone', async () => {
  const { store } = await openChatStore()
  const { key, projectId, say } = await openRoom(store)
  const { seq } = await say('hello')
  const changes = await listening(store, projectId)
  await store.run(markSeen, { key, personId: 'amy', seq, settled: true })
  await store.run(archiveConversation, { key, archived: true, by: 'amy' })
  const hers = { key, personId: 'amy' }
  expect(await changes()).toEqual({ project: [], home: [hers, hers] })
  const events = (await store.eventsAfter(home, 0, 1000)).filter(
    ({ type, data }) => type === 'session-changed' && data?.includes('amy'),
  )
  expect(await store.query(findOwnersOfEvents, { events })).toEqual(['amy', 'amy'])
})

test('[SL4] what a session does is the same in its list as in itself', async () => {
  const { store } = await openChatStore()
  const { key, projectId, say, begin, handOver, answer, end } = await openRoom(store)
  const activity = async () => {
    const one = await store.query(getConversation, { key })
    const asked = { projectId, viewer: null, limit: 5 }
    const [listed] = (await store.query(listConversations, asked)).items
    expect(listed?.activity).toBe(one.activity)
    return one.activity
  }
  await say('hello')
  expect(await activity()).toBe('starting')
  const ann = await begin()
  await handOver(ann)
  expect(await activity()).toBe('working')
  await answer(ann, 'hello to you')
  expect(await activity()).toBe('idle')
  await say('and again')
  await handOver(ann)
  await end(ann)
  // Lost with its process; until the next turn begins, though one waits.
  expect(await activity()).toBe('interrupted')
  const next = await begin()
  await handOver(next)
  expect(await activity()).toBe('working')
})
