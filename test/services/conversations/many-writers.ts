/** CV9: many conversations, each with sixteen writers at once, and an account of every message. */
import { expect } from 'vitest'
import { conversationStream } from '../../../src/domain/stream-name.ts'
import { getOrCreateConversation } from '../../../src/services/conversations/change-conversation.ts'
import { getConversation, getHistory } from '../../../src/services/conversations/queries.ts'
import { addMessage } from '../../../src/services/flows/messages/add-message.ts'
import type { Store } from '../../../src/store/store.ts'

const writers = 16
/** Messages of one writer. */
const atOnce = 100

/** What the rule asks for: `CONVERSATIONS=2000 npm test -- at-once postgres-chat`. */
export const conversationsOr = (fewer: number): number =>
  Number(process.env['CONVERSATIONS'] ?? fewer)

export async function manyWritersLoseNothing(store: Store, conversations: number): Promise<void> {
  const keys = Array.from({ length: conversations }, (_, n) => `telegram:${n}`)
  const inTurns = async <T>(work: (key: string) => Promise<T>): Promise<T[]> => {
    const done: T[] = []
    for (let from = 0; from < conversations; from += atOnce)
      done.push(...(await Promise.all(keys.slice(from, from + atOnce).map(work))))
    return done
  }
  await inTurns((key) => store.run(getOrCreateConversation, { key }))
  const write = (_: unknown, writer: number) =>
    inTurns((key) =>
      store.run(addMessage, {
        key,
        role: 'user',
        content: `${key} ${writer}`,
        by: `per_${writer}`,
      }),
    )
  const acknowledged = (await Promise.all(Array.from({ length: writers }, write)))
    .flat()
    .map(({ id }) => id)
  expect(new Set(acknowledged).size).toBe(conversations * writers)
  const found: string[] = []
  for (const key of keys) {
    const { items } = await store.query(getHistory, { key, hidden: false, limit: 200 })
    const wanted = Array.from({ length: writers }, (_, writer) => `${key} ${writer}`)
    expect(items.map(({ content }) => content).sort()).toEqual(wanted.sort())
    expect(items.every(({ content, senderId }) => content.endsWith(` ${senderId.slice(4)}`))).toBe(
      true,
    )
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: writers }, (_, n) => n + 2))
    expect(await store.query(getConversation, { key })).toMatchObject({ messageCount: writers })
    expect((await store.positions([conversationStream(key)]))[0]?.head).toBe(writers + 1)
    found.push(...items.map(({ id }) => id))
  }
  expect(found.sort()).toEqual(acknowledged.sort())
}
