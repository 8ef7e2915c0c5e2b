/**
 * Markdown that was written to stop the page: nothing of it throws, and what is read at once is
 * read quickly (SE6).
 */
import { expect, test } from 'vitest'
import { isQuick, parsed } from '../../../web/src/markdown/parse.ts'
import { amount } from '../../support/extent.ts'

const bombs = {
  quotes: '>'.repeat(50_000),
  'quotes and lists': '> - '.repeat(10_000),
  numbers: '1. '.repeat(30_000),
  'emphasis in emphasis': `${'*'.repeat(5000)}a${'*'.repeat(5000)}`,
  rows: `|a|b|\n|-|-|\n${'|\n'.repeat(50_000)}`,
  'too long': 'a'.repeat(200_001),
}

test.each(Object.entries(bombs))(
  '[SE6] %s that nest or number beyond all bounds are text',
  (_, text) => {
    expect(isQuick(text)).toBe(false)
    expect(parsed(text)).toBeUndefined()
  },
)

test('[SE6] an answer of usual length and marks is read at once', () => {
  const answer =
    '## What was found\n\n- **a** in `a.ts`\n- [b](https://example.com)\n\n```ts\nconst a = [1, 2]\n```\n\n'.repeat(
      8,
    )
  expect(isQuick(answer)).toBe(true)
  expect(parsed(answer)?.length).toBeGreaterThan(8)
})

const atoms = [
  '>',
  '*',
  '**',
  '_',
  '~',
  '~~',
  '`',
  '```',
  '[',
  ']',
  '](',
  '![',
  '<',
  '<!--',
  '<a ',
  '#',
  '- ',
  '1.',
  '|',
  '\n',
  '\n\n',
]
const others = [
  ' ',
  '    ',
  '\t',
  'a',
  '&amp;',
  '\\',
  '=',
  'http://a.b',
  'www.',
  'a@b.',
  '中',
  '\u202E',
  '[a]: b\n',
  '"',
  '</b>',
]
/** What one reading may take of a processor; the worst that was found takes a tenth of it. */
const mostMs = 1500

/** The same numbers each time, so that what fails can be tried again. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

test('[SE6] any put-together marks are read at once where that is quick, never throw', () => {
  const below = numbersFrom(20_260_101)
  const some = (most: number) =>
    Array.from(
      { length: 1 + below(most) },
      () => [...atoms, ...others][below(atoms.length + others.length)],
    ).join('')
  for (let round = 0; round < amount(75, 5000); round++) {
    const [unit, between] = [some(4), some(2)]
    const half = unit.repeat(Math.ceil(5000 / unit.length))
    let text = [half + half, half + between + half, `${unit}${between}`.repeat(300)][below(3)] ?? ''
    while (!isQuick(text)) text = text.slice(0, Math.floor(text.length * 0.8))
    const before = process.cpuUsage()
    parsed(text)
    expect(process.cpuUsage(before).user / 1000, JSON.stringify([unit, between])).toBeLessThan(
      mostMs,
    )
  }
})
