/** How texts are cut and shown on a channel, and which words are commands (CN1, CN2). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommand } from '../../../src/domain/channels/key.ts'
import { splitText } from '../../../src/domain/channels/split-text.ts'
import { amount } from '../../support/extent.ts'

test('[CN2] no part of any text is too long or empty, and no character is lost', () => {
  const piece = fc.constantFrom('word', 'a\n', '\n\n', '。', '😀', ' ', 'x'.repeat(70), '文字')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('')
      const parts = splitText(text, 64)
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(64)
        expect(part.trim()).not.toBe('')
        expect(part.isWellFormed()).toBe(true)
      }
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
    }),
  )
})

test('[CN2] a text is cut where a reader would, and blocks of code are closed and reopened', () => {
  expect(splitText(`${'a'.repeat(40)}\n\n${'b'.repeat(40)}`, 64)).toEqual([
    'a'.repeat(40),
    'b'.repeat(40),
  ])
  const code = `\`\`\`ts\n${'const x = 1\n'.repeat(10)}\`\`\``
  const parts = splitText(code, 80)
  expect(parts.length).toBeGreaterThan(1)
  for (const part of parts) {
    expect(part.startsWith('```ts\n')).toBe(true)
    expect(part.endsWith('```')).toBe(true)
  }
})

/** Whether every block of code that a text opens is closed in it, as CommonMark has it. */
function isWhole(text: string): boolean {
  let open: string | undefined
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (mark === '' || (open === undefined && mark.startsWith('`') && rest.includes('`'))) continue
    if (open === undefined) open = mark
    else if (mark.startsWith(open) && rest.trim() === '') open = undefined
  }
  return open === undefined
}

test('[CN2] no block of code is torn, whatever stands in it, and no part is over the limit', () => {
  const inner = fc.constantFrom('const x = 1', '```js', '```', '~~~', '  indented', 'a `b` c', '')
  const block = fc
    .tuple(fc.constantFrom('````', '`````', '~~~~'), fc.array(inner, { maxLength: 30 }))
    .map(([mark, lines]) => [`${mark}md`, ...lines, mark].join('\n'))
  const piece = fc.oneof(block, fc.constantFrom('Some words. More of them.', '', '&<>'.repeat(9)))
  const count = (text: string) => text.length + 3 * (text.match(/[&<>]/g)?.length ?? 0)
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
      for (const part of splitText(pieces.join('\n\n'), 200, count)) {
        expect(count(part)).toBeLessThanOrEqual(200)
        expect(isWhole(part)).toBe(true)
      }
    }),
    { numRuns: amount(400, 4000) },
  )
})

test('[CN1] commands are ours only when they are for us', () => {
  expect(parseCommand('/start ABCD-2345', 'telegram', 'our_bot')).toEqual({
    command: 'start',
    rest: 'ABCD-2345',
  })
  expect(parseCommand('/NEW@Our_Bot', 'telegram', 'our_bot')).toEqual({ command: 'new', rest: '' })
  expect(parseCommand('!new', 'slack', 'our_bot')).toEqual({ command: 'new', rest: '' })
  expect(parseCommand('/new', 'slack', 'our_bot')).toBeUndefined()
  expect(parseCommand('/new', 'discord', 'our_bot')).toEqual({ command: 'new', rest: '' })
  for (const text of ['!new', '/new@other_bot', '/deploy', 'new', '/newer', 'say /new'])
    expect(parseCommand(text, 'telegram', 'our_bot')).toBeUndefined()
})
