import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { play, playAtOnce, steps } from './chat-play.ts'
import { openChatStore, openRoom } from './chat-room.ts'

test('[NA7] whatever the order of writing, fetching, answering and dying: nothing is lost, nothing is answered twice', async () => {
  const { store } = await openChatStore()
  const property = fc.asyncProperty(steps, async (each) => play(await openRoom(store), each))
  await fc.assert(property, { numRuns: 100 })
}, 60_000)

test('[NA7] with people who keep writing while sessions fetch, answer and die, every message is answered exactly once', async () => {
  const { store } = await openChatStore()
  const { written, answered } = await playAtOnce(await openRoom(store), { people: 8, messages: 25 })
  expect(answered).toEqual(written)
})
