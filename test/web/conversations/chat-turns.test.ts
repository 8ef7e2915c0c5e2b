/**
 * The turns of a chat as the page puts them together (CH14), and where they stand among its
 * messages (UI4).
 */
import { expect, test } from 'vitest'
import type { Turn } from '../../../src/protocol/consoles/user-session.ts'
import type { Message } from '../../../src/protocol/conversations/message.ts'
import type { HoldfastEvent } from '../../../src/protocol/events.ts'
import type { TurnsState } from '../../../src/protocol/snapshot.ts'
import { asksSomething, type ThreadTurn } from '../../../src/protocol/threads/thread-turn.ts'
import {
  entriesOf,
  queuedOf,
  repetitionOf,
} from '../../../web/src/conversations/chat/chat-entries.ts'
import { afterEvent, afterTurnsSnapshot, unknownThread } from '../../../web/src/live/chat.ts'

const at = (minute: number): string => `2026-03-01T09:0${minute}:00.000Z`
const event = (type: string, data: object, minute = 1): HoldfastEvent =>
  ({ stream: 'turns:web:p.a', seq: 1, at: at(minute), type, data }) as HoldfastEvent
const said = (messageId: string, text: string) =>
  event('agent:update', { messageId, role: 'a', update: { kind: 'text', text } })
const after = (turns: readonly ThreadTurn[], ...events: HoldfastEvent[]) =>
  events.reduce(afterEvent, { ...unknownThread, turns }).turns
const turnsAfterSnapshot = (turns: readonly ThreadTurn[], state: TurnsState) =>
  afterTurnsSnapshot({ ...unknownThread, turns }, state).turns
const running = (messageId: string, text: string) => ({
  agentId: 'a',
  turn: {
    messageId,
    content: [{ type: 'text', text: 'the prompt' }],
    state: 'running',
    createdAt: at(0),
  } as Turn,
  items: [{ kind: 'text' as const, text }],
  permissions: [],
})
const textOf = (turns: readonly ThreadTurn[]) =>
  turns.map(({ items }) => items.map((item) => ('text' in item ? item.text : item.kind)).join('|'))

test('[CH14] pieces go on where the snapshot ended, and an ended turn stays as seen', () => {
  const known = turnsAfterSnapshot([], { commands: [], running: [running('t1', 'one ')] })
  // The messages say what was asked.
  expect(known).toMatchObject([{ content: [], state: 'running' }])
  expect(textOf(after(known, said('t1', 'two')))).toEqual(['one two'])
  const both = after(
    known,
    event('agent:prompted', { messageId: 't2', by: 'owner', content: [], role: 'a' }),
    said('t2', 'new'),
  )
  expect(textOf(both)).toEqual(['one ', 'new'])
  expect(after(both, said('t3', 'of another page'))).toBe(both)
  const over = after(
    both,
    event(
      'agent:response',
      { messageId: 't1', content: 'one ', stopReason: 'end_turn', cut: false, error: null },
      3,
    ),
  )
  expect(over).toMatchObject([{ state: 'answered', endedAt: at(3) }, { state: 'running' }])
  // Connected again: the one that ended stays, the one that went on is as the server says.
  const again = turnsAfterSnapshot(over, { commands: [], running: [running('t2', 'new and more')] })
  expect(textOf(again)).toEqual(['one ', 'new and more'])
  expect(turnsAfterSnapshot(again, { commands: [], running: [] })).toMatchObject([{ id: 't1' }])
})

test('[CH14] tools, thoughts and a permission stand in their turn, which closes its card', () => {
  const call = { toolCallId: 'c', title: 'Write', status: 'pending' }
  const asked = event('permission:requested', { messageId: 't1', approvalId: 7, options: [], call })
  const known = after(
    turnsAfterSnapshot([], { commands: [], running: [running('t1', '')] }),
    event('agent:update', { messageId: 't1', update: { kind: 'thought', text: 'hm' } }),
    event('agent:update', { messageId: 't1', update: { kind: 'tool', call } }),
    event('agent:update', {
      messageId: 't1',
      update: { kind: 'tool', call: { ...call, status: 'completed' } },
    }),
    asked,
  )
  expect(known[0]?.items.map(({ kind }) => kind)).toEqual(['text', 'thought', 'tool', 'permission'])
  expect(asksSomething(known[0])).toBe(true)
  expect(
    asksSomething(
      after(known, event('permission:resolved', { approvalId: 7, outcome: 'allowed' }))[0],
    ),
  ).toBe(false)
})

const message = (seq: number, minute: number, rest: Partial<Message> = {}): Message =>
  ({
    seq,
    createdAt: at(minute),
    role: 'user',
    clientId: null,
    content: `m${seq}`,
    ...rest,
  }) as Message
const turn = (id: string, minute: number, rest: Partial<ThreadTurn> = {}): ThreadTurn =>
  ({
    kind: 'turn',
    id,
    at: at(minute),
    state: 'answered',
    items: [{ kind: 'text', text: id }],
    ...rest,
  }) as ThreadTurn
const order = (entries: ReturnType<typeof entriesOf>) =>
  entries.map((entry) =>
    entry.kind === 'turn' ? `${entry.turn.id}>${entry.message?.seq}` : entry.message.seq,
  )

test('[UI4] an answer stands where its turn began, before what was written meanwhile', () => {
  const first = message(1, 1)
  const second = message(2, 3)
  const going = turn('t1', 2, { state: 'running' })
  expect(order(entriesOf([first, second], [going]))).toEqual([1, 't1>undefined', 2])
  const answer = message(3, 4, { role: 'assistant', clientId: 't1' })
  expect(order(entriesOf([first, second, answer], [turn('t1', 2)]))).toEqual([1, 't1>3', 2])
  // A turn that is not loaded still has its message.
  expect(order(entriesOf([first, second, answer], []))).toEqual([1, 2, 3])
  expect(order(entriesOf([first, second, { ...answer, begunAt: at(2) }], []))).toEqual([1, 3, 2])
  // One that became no message is shown if it did something and is not older than the messages at
  // hand.
  const stopped = turn('t0', 2, { state: 'cancelled' })
  expect(
    order(entriesOf([first], [stopped, turn('old', 0), turn('empty', 2, { items: [] })])),
  ).toEqual([1, 't0>undefined'])
})

test('[UI4] what is written while it works waits, unless it was handed over already', () => {
  const going = turn('t1', 2, { state: 'running' })
  const said = [message(1, 1), message(2, 3), message(3, 4, { role: 'assistant' }), message(4, 4)]
  const thread = (turns: readonly ThreadTurn[], ...seqs: number[]) => ({
    ...unknownThread,
    messages: said,
    turns,
    waiting: seqs.map((seq) => ({ seq, rank: 1 })),
  })
  const queued = (...given: Parameters<typeof queuedOf>) => queuedOf(...given).map(({ seq }) => seq)
  expect(queued(thread([going], 4, 2), false)).toEqual([4, 2])
  expect(queued(thread([going], 4), false)).toEqual([4])
  // An agent that comes for it: it stands where it was written, unless it is paused.
  expect(queued(thread([], 4), false)).toEqual([])
  expect(queued(thread([], 4), true)).toEqual([4])
})

test('[UI4] a turn that was cut off leads to the one that repeats it and to no other', () => {
  const cut = turn('t1', 2, { state: 'unknown' })
  const [, attempt, again] = entriesOf([message(1, 1)], [cut, turn('t2', 3, { state: 'running' })])
  expect(attempt && repetitionOf(attempt, again)).toBe('t2')
  const [, seen, next] = entriesOf(
    [message(1, 1)],
    [turn('t1', 2, { stopReason: 'process_gone' }), turn('t2', 3)],
  )
  expect(seen && repetitionOf(seen, next)).toBe('t2')
  expect(again && repetitionOf(again, undefined)).toBeUndefined()
  const [, , asked, answer] = entriesOf([message(1, 1), message(2, 3)], [cut, turn('t2', 4)])
  expect(attempt && repetitionOf(attempt, asked)).toBeUndefined()
  expect(asked && repetitionOf(asked, answer)).toBeUndefined()
})

test('[CH17] a failed or cut turn stays among what was said, also where it did nothing', () => {
  const messages = [message(1, 1), message(2, 4)]
  const none = { items: [] }
  const turns = [
    turn('failed', 2, { state: 'failed', stopReason: 'error', ...none }),
    turn('cut', 3, { state: 'unknown', stopReason: 'process_gone', ...none }),
    turn('read', 5, { state: 'answered', stopReason: 'read', ...none }),
  ]
  const shown = entriesOf(messages, turns).map((entry) =>
    entry.kind === 'turn' ? entry.turn.id : entry.message.seq,
  )
  expect(shown).toEqual([1, 'failed', 'cut', 2])
})

test.each([
  ['end_turn', 'answered'],
  ['error', 'failed'],
  ['empty', 'failed'],
  ['took_too_long', 'failed'],
  ['process_gone', 'unknown'],
  ['denied', 'cancelled'],
])(
  '[CH17] a turn that is seen to end by %s is %s, as it is after a reload',
  (stopReason, state) => {
    const known = turnsAfterSnapshot([], { commands: [], running: [running('t1', '')] })
    const over = event(
      'agent:response',
      { messageId: 't1', content: '', stopReason, cut: false, error: null },
      3,
    )
    expect(after(known, over)).toMatchObject([{ state }])
  },
)
