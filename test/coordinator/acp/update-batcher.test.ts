import { expect, test } from 'vitest'
import { UpdateBatcher } from '../../../src/coordinator/acp/updates.ts'
import type { AgentUpdate } from '../../../src/protocol/turns/agent-update.ts'
import { manualClock } from '../../support/manual-clock.ts'

function begin() {
  const clock = manualClock()
  const out: AgentUpdate[] = []
  return { clock, out, pieces: new UpdateBatcher(clock, (update) => out.push(update)) }
}

const text = (value: string): AgentUpdate => ({ kind: 'text', text: value })
const tool = (toolCallId: string, status: 'pending' | 'completed'): AgentUpdate => ({
  kind: 'tool',
  call: {
    toolCallId,
    title: 'x',
    toolKind: 'other',
    status,
    input: null,
    locations: [],
    content: [],
    cut: false,
  },
})

test('[RL3] the first piece leaves at once, the next ones joined, at most one each 50 ms', () => {
  const { clock, out, pieces } = begin()
  pieces.add(text('a'))
  expect(out).toEqual([text('a')])
  pieces.add(text('b'))
  clock.advance(49)
  pieces.add(text('c'))
  expect(out).toEqual([text('a')])
  clock.advance(1)
  expect(out).toEqual([text('a'), text('bc')])
  clock.advance(50)
  pieces.add(text('d'))
  expect(out.at(-1)).toEqual(text('d'))
})

test('[RL3] a full piece leaves without waiting, and none is larger or cuts a character in two', () => {
  const { out, pieces } = begin()
  const long = `x${'😀'.repeat(5000)}`
  pieces.add(text('a'))
  pieces.add(text(long))
  pieces.flush()
  const texts = out.map((update) => (update.kind === 'text' ? update.text : ''))
  expect(texts.join('')).toBe(`a${long}`)
  for (const each of texts) {
    expect(each.length).toBeLessThanOrEqual(4097)
    expect(each.isWellFormed()).toBe(true)
  }
})

test('[RL3] order is kept between kinds, and a newer state takes the place of the one right before it', () => {
  const { out, pieces } = begin()
  pieces.add(text('a'))
  pieces.add(tool('1', 'pending'))
  pieces.add(tool('1', 'completed'))
  pieces.add(tool('2', 'pending'))
  pieces.add(text('b'))
  pieces.add({ kind: 'thought', text: 'c' })
  pieces.add(tool('2', 'completed'))
  pieces.flush()
  expect(out).toEqual([
    text('a'),
    tool('1', 'completed'),
    tool('2', 'pending'),
    text('b'),
    { kind: 'thought', text: 'c' },
    tool('2', 'completed'),
  ])
})
