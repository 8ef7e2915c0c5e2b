/** What is being said in a chat, as the page puts it together (CH12). */
import { expect, test } from 'vitest'
import type { Turn } from '../../../src/protocol/consoles/user-session.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import { afterTurnEvent, isCompleted, type PartialAnswer, partialAnswerIn } from '../../../web/src/live/chat.ts'

const event = (type: 'agent:update' | 'agent:response', data: object): HoldfastEvent =>
  ({ stream: 'turns:web:p.a', seq: 1, at: '2026-03-01T09:00:00.000Z', type, data }) as HoldfastEvent
const said = (turnId: string, text: string) =>
  event('agent:update', { messageId: turnId, role: 'a', update: { kind: 'text', text } })
const after = (saying: PartialAnswer | null, ...events: HoldfastEvent[]) => events.reduce(afterTurnEvent, saying)

test('[CH14] pieces go on where the snapshot ended, another turn begins anew, the end of an earlier one changes nothing', () => {
  const known = partialAnswerIn({ running: [{ agentId: 'a', turn: { messageId: 't1', text: 'one ' } as Turn }] })
  const thought = event('agent:update', { messageId: 't1', role: 'a', update: { kind: 'thought', text: 'hm' } })
  expect(after(known, thought)).toBe(known)
  expect(after(known, said('t1', 'two'))).toMatchObject({ turnId: 't1', text: 'one two' })
  expect(after(known, said('t2', 'new'))).toMatchObject({ turnId: 't2', text: 'new' })
  expect(after(known, event('agent:response', { messageId: 't0' }))).toBe(known)
  expect(after(known, event('agent:response', { messageId: 't1' }))).toBeNull()
  expect(after(null, event('agent:response', { messageId: 't1' }))).toBeNull()
})

test('[CH14] told as a message before the end of the saying is told, it is not shown twice', () => {
  const chat = { messages: [{ clientId: 't1' } as Message], older: null, handedOver: [], limit: null }
  expect(isCompleted(chat, { turnId: 't1', agentId: 'a', text: 'x' })).toBe(true)
  expect(isCompleted(chat, { turnId: 't2', agentId: 'a', text: 'x' })).toBe(false)
})
