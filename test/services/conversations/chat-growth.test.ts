/**
 * What must not grow with the history. Long and short conversations are measured in turns, so that
 * whatever else the machine does hits both, and the medians are compared.
 */
import { expect, test } from 'vitest'
import {
  getOrCreateConversation,
  setHistory,
} from '../../../src/services/conversations/change-conversation.ts'
import { listMessages } from '../../../src/services/conversations/queries.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import type { Store } from '../../../src/store/store.ts'
import { amount } from '../../support/extent.ts'
import { by } from '../projects/installation.ts'
import { openChatStore, openRoom, type Room } from './chat-room.ts'

const long = amount(10_000, 100_000)
const short = 10
const atOnce = 10_000
/** More than noise; a cost that grew with the length would be thousands of times that. */
const flat = 3

async function fill(store: Store, key: string, count: number): Promise<void> {
  await store.run(getOrCreateConversation, { key })
  for (let done = 0; done < count; done += atOnce) {
    const messages = Array.from({ length: Math.min(atOnce, count - done) }, (_, n) => ({
      role: 'user' as const,
      content: `message ${done + n} of a conversation that goes on and on`,
    }))
    await store.run(setHistory, { key, messages, by })
  }
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

async function compare(
  rooms: readonly [Room, Room],
  work: (room: Room) => Promise<unknown>,
): Promise<number> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < 300; round++) {
    for (const index of [0, 1] as const) {
      const began = performance.now()
      await work(rooms[index])
      times[index].push(performance.now() - began)
    }
  }
  return median(times[1]) / median(times[0])
}

test(`[CV5] [CH8] an append, and reading the newest 50, cost the same with ${long} messages as with ${short}`, async () => {
  const { store } = await openChatStore()
  const rooms = [await openRoom(store), await openRoom(store)] as const
  await fill(store, rooms[0].key, short)
  await fill(store, rooms[1].key, long)
  const append = await compare(rooms, ({ key }) =>
    store.run(addMessage, { key, role: 'user', content: 'one more', by }),
  )
  const read = await compare(rooms, async ({ projectId }) => {
    const page = await store.query(listMessages, {
      projectId,
      agentId: 'ann',
      hidden: false,
      limit: 50,
    })
    expect(page.items).toHaveLength(50)
  })
  expect(append).toBeLessThan(flat)
  expect(read).toBeLessThan(flat)
}, 60_000)
