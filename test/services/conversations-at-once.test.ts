import { expect, test } from 'vitest'
import { conversationStream } from '../../src/domain/stream/name.ts'
import { addMessage } from '../../src/services/add-message.ts'
import { getConversation } from '../../src/services/get-conversation.ts'
import { getHistory } from '../../src/services/get-history.ts'
import { getOrCreateConversation } from '../../src/services/get-or-create-conversation.ts'
import { openChatStore } from './chat-room.ts'

const conversations = 200
const writers = 16
/** Of one writer. */
const atOnce = 100

test('[CV9] many conversations, each with many writers at once: nothing is lost, doubled or mixed', async () => {
  const { store } = await openChatStore()
  const keys = Array.from({ length: conversations }, (_, n) => `telegram:${n}`)
  await Promise.all(keys.map((key) => store.run(getOrCreateConversation, { key })))
  const acknowledged: string[] = []
  const write = async (_: unknown, writer: number): Promise<void> => {
    for (let from = 0; from < conversations; from += atOnce) {
      const some = keys.slice(from, from + atOnce)
      const add = (key: string) => store.run(addMessage, { key, role: 'user', content: `${key} ${writer}`, by: `per_${writer}` })
      acknowledged.push(...(await Promise.all(some.map(add))).map(({ id }) => id))
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  expect(new Set(acknowledged).size).toBe(conversations * writers)
  const found: string[] = []
  for (const key of keys) {
    const { items } = await store.query(getHistory, { key, hidden: false, limit: 200 })
    const wanted = Array.from({ length: writers }, (_, writer) => `${key} ${writer}`)
    expect(items.map(({ content }) => content).sort()).toEqual(wanted.sort())
    expect(items.every(({ content, senderId }) => content.endsWith(` ${senderId.slice(4)}`))).toBe(true)
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: writers }, (_, n) => n + 2))
    expect(await store.query(getConversation, { key })).toMatchObject({ messageCount: writers })
    expect((await store.positions([conversationStream(key)]))[0]?.head).toBe(writers + 1)
    found.push(...items.map(({ id }) => id))
  }
  expect(found.sort()).toEqual(acknowledged.sort())
}, 30_000)
