/** Readers that come and go, and go on where they were (SN13, SN14). */
import { expect, test } from 'vitest'
import {
  beginning,
  beginOfTurn,
  itemsSince,
  type Position,
  parsePosition,
  positionText,
} from '../../../src/protocol/threads/position.ts'
import {
  type Item,
  type KeptItems,
  noItems,
  withUpdate,
} from '../../../src/protocol/threads/turn-items.ts'
import type { AgentUpdate, ToolCall } from '../../../src/protocol/turns/agent-update.ts'
import { promptSession } from '../../../src/services/flows/conversations/prompt-session.ts'
import { withdrawMessage } from '../../../src/services/flows/messages/withdraw-message.ts'
import { readProgress } from '../../../src/services/system/read-progress.ts'
import { readPosition, readSince } from '../../../src/services/turns/read-since.ts'
import { readTurnOfMessage } from '../../../src/services/turns/turn-of-message.ts'
import { amount } from '../../support/extent.ts'
import { anyCharacter, fc, property } from '../../support/property.ts'
import { said, turnEnded } from '../../support/relay.ts'
import { openTestStore } from '../../support/store.ts'
import { by } from '../projects/installation.ts'
import { openTurnRoom } from './turn-room.ts'

const call = (toolCallId: string, status: ToolCall['status']): ToolCall => ({
  toolCallId,
  title: `Run ${status}`,
  toolKind: 'execute',
  status,
  input: null,
  locations: [],
  content: [],
  cut: false,
})

/** What an agent may send, with the size of the piece that is read after it; 0: nothing is. */
const life = fc.array(
  fc.tuple(
    fc.oneof(
      fc.record({
        kind: fc.constantFrom('text', 'thought'),
        text: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }),
      }),
      fc.record({ kind: fc.constant('tool'), call: fc.constantFrom('a', 'b', 'c') }),
      fc.record({
        kind: fc.constant('plan'),
        entries: fc.array(fc.constant({ content: 'x', priority: 'high', status: 'pending' })),
      }),
    ),
    fc.constantFrom(0, 0, 5, 40, 1000),
  ),
  { maxLength: 40 },
)

/** A call is begun, goes on, and is done; then another one of the name begins. */
function updatesOf(came: readonly { kind: string; call?: string }[]): AgentUpdate[] {
  const steps = new Map<string, number>()
  const order = ['pending', 'in_progress', 'completed'] as const
  return came.map((update) => {
    if (update.call === undefined) return update as AgentUpdate
    const step = steps.get(update.call) ?? 0
    steps.set(update.call, step + 1)
    const status = order[step % order.length] ?? 'pending'
    return { kind: 'tool', call: call(`${update.call}${Math.floor(step / order.length)}`, status) }
  })
}

/** What a reader has that puts each piece where it belongs. */
class Readings {
  readonly items: Item[] = []
  position: Position = beginOfTurn('t')

  read(all: KeptItems, isOver: boolean, maxChars: number): boolean {
    const from = positionText(this.position)
    const read = itemsSince(all.items, parsePosition(from) ?? beginOfTurn(''), { isOver, maxChars })
    for (const { index, item } of read.items) {
      const before = this.items[index]
      this.items[index] =
        before && 'text' in before && 'text' in item
          ? { ...item, text: before.text + item.text }
          : item
    }
    this.position = read.next
    return read.isCut
  }
}

property.prop([life], { numRuns: amount(300, 5000) })(
  '[SN14] who reads a turn piece by piece, at any moments, has all of it once',
  (came) => {
    const reader = new Readings()
    let all = noItems
    const updates = updatesOf(came.map(([update]) => update))
    for (const [index, update] of updates.entries()) {
      all = withUpdate(all, update)
      const maxChars = came[index]?.[1] ?? 0
      if (maxChars > 0) reader.read(all, false, maxChars)
    }
    // A small piece each time comes to the end, too.
    let left = 10_000
    while (reader.read(all, true, 5)) expect(--left).toBeGreaterThan(0)
    expect(reader.items).toEqual(all.items)
    expect(reader.read(all, true, 5)).toBe(false)
    expect(reader.items).toEqual(all.items)
  },
)

test('[SN14] a piece of a text splits no character', () => {
  const all = { ...noItems, items: [{ kind: 'text', text: 'a😀b😀' }] } as const
  const reader = new Readings()
  const pieces: string[] = []
  for (let isCut = true, left = 10; isCut; left--) {
    expect(left).toBeGreaterThan(0)
    const read = itemsSince(all.items, reader.position, { isOver: true, maxChars: 1 })
    pieces.push(...read.items.map(({ item }) => ('text' in item ? item.text : '')))
    reader.position = read.next
    isCut = read.isCut
  }
  expect(pieces.join('')).toBe('a😀b😀')
  expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
})

test.each(['', 't', 't.1', 't.1.x', 't.1.2.', 't.1.2.3-', '.1.2', 't.1.2.3.4', 't.-1.0'])(
  '[SN14] "%s" is no position',
  (text) => expect(parsePosition(text)).toBeUndefined(),
)

async function openThread() {
  const { store, clock } = await openTestStore()
  const room = await openTurnRoom({ store, clock })
  const place = await room.places.thread()
  const { key } = place
  const prompt = async (content: string, clientId?: string) => {
    clock.advance(1)
    return store.run(promptSession, { key, content, clientId, by })
  }
  const say = async (text: string) => {
    const { turnId, launchId } = await room.runningTurn(key)
    await room.tell(said(launchId, turnId, text))
  }
  const end = async (how?: Parameters<typeof turnEnded>[2]) => {
    const { turnId, launchId } = await room.runningTurn(key)
    await room.tell(turnEnded(launchId, turnId, how))
    await room.scan()
  }
  const fate = (seq: number) => store.query(readTurnOfMessage, { key, seq })
  const progress = () => store.query(readProgress, { key })
  return { store, room, place, key, prompt, say, end, fate, progress }
}

test('[SN13] a prompt by its key is taken once, and its turn is known when it is over', async () => {
  const { store, place, key, prompt, say, end, fate, progress } = await openThread()
  const one = await prompt('one', 'p1')
  expect((await prompt('one', 'p1')).message.seq).toBe(one.message.seq)
  await expect(prompt('other', 'p1')).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  expect(await progress()).toMatchObject({ isRunning: true, requests: [], last: null })
  expect(await fate(one.message.seq)).toMatchObject({
    state: 'queued',
    turn: { id: one.turnId, state: 'queued' },
  })
  await place.begin()
  const two = await prompt('two')
  expect(await progress()).toMatchObject({ activity: 'working', last: { id: one.turnId } })
  await say('first answer')
  await end()
  expect(await fate(one.message.seq)).toMatchObject({
    state: 'answered',
    turn: { id: one.turnId, text: 'first answer', stopReason: 'end_turn' },
  })
  expect(await fate(two.message.seq)).toMatchObject({ state: 'running', turn: { id: two.turnId } })
  await say('half')
  await end({ outcome: 'failed', error: 'It broke' })
  expect(await fate(two.message.seq)).toMatchObject({ state: 'failed', turn: { id: two.turnId } })
  expect(await progress()).toMatchObject({ activity: 'failed', isRunning: false })
  const three = await prompt('three')
  const four = await prompt('four')
  expect(three.turnId).not.toBe(two.turnId)
  await store.run(withdrawMessage, { key, seq: four.message.seq, by }).catch(() => undefined)
  expect(await fate(four.message.seq)).toMatchObject({ state: 'cancelled', turn: null })
  const nobody = store.query(readTurnOfMessage, { key, seq: 9999 })
  await expect(nobody).rejects.toMatchObject({ code: 'not_found' })
})

test('[SN14] what has come since a position is told once, over turns', async () => {
  const { store, place, key, prompt, say, end } = await openThread()
  const since = (after?: string, maxChars?: number) =>
    store.query(readSince, { key, after, ...(maxChars && { maxChars }) })
  const texts = (read: Awaited<ReturnType<typeof since>>) =>
    read.turns.map(({ turn, items }) => [
      turn.state,
      items.map(({ item }) => ('text' in item ? item.text : item.kind)).join('|'),
    ])
  expect(await since()).toEqual({ turns: [], position: beginning, more: false })
  await prompt('one')
  await place.begin()
  await say('Hel')
  const first = await since(beginning)
  expect(texts(first)).toEqual([['running', 'Hel']])
  await say('lo')
  const second = await since(first.position)
  expect(texts(second)).toEqual([['running', 'lo']])
  await end()
  await prompt('two')
  await say('World')
  const third = await since(second.position)
  expect(texts(third)).toEqual([
    ['answered', ''],
    ['running', 'World'],
  ])
  await end()
  expect(texts(await since(third.position))).toEqual([['answered', '']])
  const last = (await since(third.position)).position
  expect(await store.query(readPosition, { key })).toBe(last)
  expect(texts(await since())).toEqual([
    ['answered', 'Hello'],
    ['answered', 'World'],
  ])
  // In small pieces it is the same.
  let at = beginning
  let whole = ''
  for (let more = true, left = 100; more; left--) {
    expect(left).toBeGreaterThan(0)
    const read = await since(at, 2)
    whole += texts(read)
      .map(([, text]) => text)
      .join('')
    at = read.position
    more = read.more
  }
  expect(whole).toBe('HelloWorld')
  for (const position of ['nonsense', 'unknown.0.0'])
    await expect(since(position)).rejects.toMatchObject({
      code: 'invalid_request',
      fields: { field: 'position' },
    })
})
