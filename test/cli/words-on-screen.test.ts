import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RedrawnText } from '../../src/cli/agents/watch-agents.ts'
import { cutTo, displayWidth, padTo } from '../../src/cli/display-width.ts'
import { quietMs, startProgress } from '../../src/cli/progress.ts'
import { table } from '../../src/cli/table.ts'
import { parseMoment, relative } from '../../src/cli/times.ts'
import { visible } from '../../src/platform/log/visible.ts'
import { manualClock } from '../support/manual-clock.ts'

const plain = (_style: unknown, text: string): string => text
const now = Date.parse('2026-03-01T09:00:00.000Z')

test('[CL2] columns align, also where characters are two cells wide', () => {
  const rows = [
    { name: '日本語', id: 'a' },
    { name: 'café', id: 'b' },
    { name: '🙂', id: 'c' },
  ]
  const text = table(
    rows,
    [
      { title: 'NAME', of: (row) => row.name },
      { title: 'ID', of: (row) => row.id },
    ],
    plain,
  )
  expect(text).toBe('NAME    ID\n日本語  a\ncafé    b\n🙂      c')
})

test('[SE13] invisible characters and those that turn text are numbers on a terminal', () => {
  const columns = [{ title: 'NAME', of: (row: string) => visible(row) }]
  expect(table(['a\u202Etxt.exe\u061C\u2066', 'rm\u200B\u2060 \u001B[2J'], columns, plain)).toBe(
    String.raw`NAME
a\u202etxt.exe\u061c\u2066
rm\u200b\u2060 \u001b[2J`,
  )
})

test('[CL2] a table that cannot fit the terminal becomes paragraphs, and nothing is cut', () => {
  const columns = [
    { title: 'NAME', of: (row: string) => row, shrinks: true as const },
    { title: 'ID', of: (row: string) => `id-${row.repeat(4)}` },
  ]
  const rows = ['日本'.repeat(4), 'b']
  expect(table(rows, columns, plain, 30)).toBe(
    'NAME  日本日本日本日本\nID    id-日本日本日本日本日本日本日本日本日本日本日本日本日本日本日本日本\n\nNAME  b\nID    id-bbbb',
  )
  expect(table(rows, columns, plain, 81)).toMatch(/^NAME +ID\n日本/)
})

test('[CL2] what is drawn over itself goes up by its rows, at any size of the terminal', () => {
  const picture = new RedrawnText()
  const up = (text: string): string => text.split('\u001b[J')[0] ?? ''
  expect(picture.over('one line', { columns: 40, rows: 10 })).toBe('one line\n')
  const table = ['head', 'x'.repeat(41), '日'.repeat(21), '', 'end'].join('\n')
  expect(picture.over(table, { columns: 40, rows: 10 })).toBe(`\u001b[1A\u001b[J${table}\n`)
  expect(up(picture.over(table, { columns: 40, rows: 10 }))).toBe('\u001b[7A')
  // Made narrower in between: what stands there was broken again.
  expect(picture.over(table, { columns: 20, rows: 6 })).toBe(
    '\u001b[9A\u001b[Jhead\n… and 3 more\nend\n',
  )
  expect(picture.over('no agent\nend', { columns: 20, rows: 6 })).toBe(
    '\u001b[3A\u001b[Jno agent\nend\n',
  )
  expect(picture.over(table, { columns: 20, rows: 2 })).toBe('\u001b[2A\u001b[Jend\n')
})

test('[CL2] on a terminal a table fits its width by cutting what may be cut', () => {
  const rows = [{ name: 'x'.repeat(100), id: 'proj_20260301_a1b2c3' }]
  const columns = [
    { title: 'NAME', of: (row: (typeof rows)[number]) => row.name, shrinks: true as const },
    { title: 'ID', of: (row: (typeof rows)[number]) => row.id },
  ]
  for (const width of [40, 60, 80]) {
    const lines = table(rows, columns, plain, width).split('\n')
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width)
    expect(lines[1]).toContain('proj_20260301_a1b2c3')
  }
})

test('[CL2] a text is cut and filled to exactly the cells asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '日', 'é', '🙂', ' ', '한'), maxLength: 20 }),
      fc.integer({ min: 2, max: 30 }),
      (text, width) => {
        const cut = cutTo(text, width)
        expect(displayWidth(cut)).toBeLessThanOrEqual(width)
        expect(displayWidth(padTo(cut, width))).toBe(width)
        if (displayWidth(text) <= width) expect(cut).toBe(text)
      },
    ),
  )
})

test('[CL2] times are said as people say them', () => {
  const at = (ms: number): string => relative(new Date(now + ms).toISOString(), now)
  expect([
    at(0),
    at(-1500),
    at(-59_000),
    at(-3_600_000),
    at(-90_000_000),
    at(30 * 86_400_000 - 400),
    at(600_000),
  ]).toEqual(['now', '1 s ago', '59 s ago', '1 h ago', '1 d ago', 'in 30 d', 'in 10 min'])
})

test('[CL2] an end is a duration from now or a moment, and nothing else', () => {
  expect(parseMoment('12h', now)).toBe('2026-03-01T21:00:00.000Z')
  expect(parseMoment('2w', now)).toBe('2026-03-15T09:00:00.000Z')
  expect(parseMoment('2026-12-31T23:00:00+09:00', now)).toBe('2026-12-31T14:00:00.000Z')
  for (const nonsense of ['', 'soon', '3', '-1d', '1y', '2026', '2026-99-99'])
    expect(parseMoment(nonsense, now)).toBeUndefined()
})

test('[CL2] a wait of over a second is shown on a terminal only and leaves no trace', () => {
  const show = (isTTY: boolean): string => {
    const clock = manualClock()
    let written = ''
    const output = { isTTY, write: (text: string) => (written += text) }
    const terminal = {
      stdin: process.stdin,
      stdout: output,
      stderr: output,
      env: { NO_COLOR: '1' },
      cwd: '/',
    }
    const progress = startProgress(terminal, 'Waiting for an answer', clock)
    clock.advance(quietMs - 1)
    const early = written
    clock.advance(1500)
    progress.end()
    clock.advance(5000)
    return early === '' ? written : 'too early'
  }
  expect(show(false)).toBe('')
  const wiped = '\r\u001b[K'
  expect(show(true).startsWith(`${wiped}⠋ Waiting for an answer 1 s`)).toBe(true)
  expect(show(true).endsWith(`2 s${wiped}`)).toBe(true)
})
