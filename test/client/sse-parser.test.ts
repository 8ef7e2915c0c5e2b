import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SseMessage, SseParser } from '../../src/client/sse-parser.ts'

/** What comes out when the text arrives in these pieces. */
function parse(
  pieces: readonly string[],
  maxLength?: number,
): { messages: SseMessage[]; lastId: string } {
  const messages: SseMessage[] = []
  const parser = new SseParser((message) => messages.push(message), maxLength)
  for (const piece of pieces) parser.push(piece)
  return { messages, lastId: parser.lastId }
}

test('[HT6] an event has its type, its data and its cursor', () => {
  const { messages } = parse(['id: c1\nevent: project-created\ndata: {"seq":1}\n\n'])
  expect(messages).toEqual([{ event: 'project-created', data: '{"seq":1}', id: 'c1' }])
})

test('[HT6] several data lines are one text, without the space behind the colon', () => {
  expect(parse(['data: a\ndata:b\ndata:  c\ndata\n\n']).messages).toEqual([
    { event: 'message', data: 'a\nb\n c\n', id: '' },
  ])
})

test('[HT6] comments and unknown fields say nothing, and an event without data is none', () => {
  expect(parse([': beat\n\nretry: 10\nfoo: bar\n\nevent: x\n\ndata: 1\n\n']).messages).toEqual([
    { event: 'message', data: '1', id: '' },
  ])
})

test('[HT6] a cursor that came without data counts, and one with NUL does not', () => {
  expect(parse(['id: c1\n\n']).lastId).toBe('c1')
  expect(parse(['id: c1\n\nid: c\u00002\n\n']).lastId).toBe('c1')
})

test('[HT6] the cursor of an event that was cut off does not count, so it comes again', () => {
  expect(parse(['id: c1\ndata: 1\n\nid: c2\ndata: 2\n']).lastId).toBe('c1')
})

test('[HT6] a byte order mark at the very beginning is passed over', () => {
  expect(parse(['', '\ufeff', 'data: 1\n\n']).messages).toHaveLength(1)
})

const text = fc.string({
  unit: fc.constantFrom('a', 'é', '日', ':', ' ', '"', '\\', '{'),
  maxLength: 12,
})
const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

test('[HT6] what is read does not depend on where the pieces are cut, nor on how lines end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: text, data: fc.array(text, { minLength: 1, maxLength: 3 }) }), {
        maxLength: 5,
      }),
      lineEnd,
      fc.array(fc.nat(500)),
      (events, end, cuts) => {
        const whole = events
          .map(({ id, data }) =>
            [`id: ${id}`, ...data.map((each) => `data: ${each}`), '', ''].join(end),
          )
          .join('')
        const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort(
          (a, b) => a - b,
        )
        const pieces = [0, ...places].map((from, index) =>
          whole.slice(from, places[index] ?? whole.length),
        )
        expect(parse(pieces).messages).toEqual(
          events.map(({ id, data }) => ({ event: 'message', id, data: data.join('\n') })),
        )
      },
    ),
  )
})

test('[SE8] a line that never ends is refused once it is longer than the bound', () => {
  expect(() => parse(['data: ', 'x'.repeat(60), 'x'.repeat(60)], 100)).toThrow(
    'longer than is accepted',
  )
})

test('[SE8] an event of many short lines is refused when together they pass the bound', () => {
  expect(() =>
    parse(
      Array.from({ length: 30 }, () => 'data: 12345\n'),
      100,
    ),
  ).toThrow('longer than is accepted')
  expect(
    parse(
      Array.from({ length: 30 }, () => 'data: 12345\n\n'),
      100,
    ).messages,
  ).toHaveLength(30)
})
