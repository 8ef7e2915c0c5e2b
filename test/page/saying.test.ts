/** What is being said in a chat, as the page puts it together (CH12). */
import { expect, test } from 'vitest'
import type { HoldfastEvent } from '../../src/protocol/events.ts'
import type { Message } from '../../src/protocol/message.ts'
import { afterAnswerEvent, isSaid, type Saying } from '../../web/src/live/chat.ts'

const event = (type: 'answer-said' | 'answer-over', data: object): HoldfastEvent =>
  ({ stream: 'answer:web:p.a', seq: 1, at: '2026-03-01T09:00:00.000Z', type, data }) as HoldfastEvent
const said = (turnId: string, text: string) => event('answer-said', { turnId, agentId: 'a', text })
const after = (saying: Saying | null, ...events: HoldfastEvent[]) => events.reduce(afterAnswerEvent, saying)

test('[CH12] pieces go on where the snapshot ended, another turn begins anew, the end of an earlier one changes nothing', () => {
  const known = { turnId: 't1', agentId: 'a', text: 'one ' }
  expect(after(known, said('t1', 'two'))).toMatchObject({ turnId: 't1', text: 'one two' })
  expect(after(known, said('t2', 'new'))).toMatchObject({ turnId: 't2', text: 'new' })
  expect(after(known, event('answer-over', { turnId: 't0' }))).toBe(known)
  expect(after(known, event('answer-over', { turnId: 't1' }))).toBeNull()
  expect(after(null, event('answer-over', { turnId: 't1' }))).toBeNull()
})

test('[CH12] told as a message before the end of the saying is told, it is not shown twice', () => {
  const chat = { messages: [{ clientId: 't1' } as Message], older: null, handedOver: [], limit: null }
  expect(isSaid(chat, { turnId: 't1', agentId: 'a', text: 'x' })).toBe(true)
  expect(isSaid(chat, { turnId: 't2', agentId: 'a', text: 'x' })).toBe(false)
})
