/** How texts are cut and shown on a channel, and which words are commands (CN1, CN2). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCommand } from '../../../src/domain/channels/key.ts'
import { splitText } from '../../../src/domain/channels/split-text.ts'

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

test('[CN1] commands are ours only when they are for us', () => {
  expect(parseCommand('/start ABCD-2345', 'our_bot')).toEqual({
    command: 'start',
    rest: 'ABCD-2345',
  })
  expect(parseCommand('/NEW@Our_Bot', 'our_bot')).toEqual({ command: 'new', rest: '' })
  for (const text of ['/new@other_bot', '/deploy', 'new', '/newer', 'say /new'])
    expect(parseCommand(text, 'our_bot')).toBeUndefined()
})
