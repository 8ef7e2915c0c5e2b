import { test } from 'vitest'
import { openChatStore } from './chat-room.ts'
import { conversationsOr, manyWritersLoseNothing } from './many-writers.ts'

test('[CV9] many conversations, each with many writers at once: nothing is lost, doubled or mixed', async () => {
  const { store } = await openChatStore()
  await manyWritersLoseNothing(store, conversationsOr(200))
}, 120_000)
