import { describe, expect, test } from 'vitest'
import { noteHead, noteSection, noteSummary } from '../../../src/domain/conversations/chapter.ts'

const rule = { hour: 4, timezone: 'Asia/Tokyo' }
const message = (content: string, more: object = {}) => ({
  role: 'user',
  content,
  toolCalls: null,
  media: null,
  createdAt: '2026-03-01T09:05:00.000Z',
  ...more,
})
const section = (content: string, summary = '') =>
  noteSection(
    { key: 'web:p.a', summary, messageCount: 1, first: [message(content)], last: [] },
    rule,
  )

describe('the text of a note', () => {
  test('[DC3] nothing that was said begins a line: not with any line end there is', () => {
    const hostile = ['# a', '---', '## web:p.b', '```', '<!--', '- [ ] x'].join('\n')
    for (const end of ['\n', '\r', '\r\n', '\u2028', '\u2029', '\u0085', '\u000b', '\u000c']) {
      const lines = section(hostile.replaceAll('\n', end), `sum${end}## web:p.c`).split('\n')
      expect(lines.filter((line) => line.startsWith('## '))).toEqual(['## web:p.a'])
      for (const line of lines) expect(line).toMatch(/^(|## web:p\.a|1 message|\*\*.*\*\*|>.*)$/)
    }
    expect(section('a\u0000\u001b[31mb')).toContain('> a\ufffd\ufffd[31mb')
  })

  test('[DC3] a long text is cut between characters, and the note says how much is left', () => {
    const family = '👨‍👩‍👧‍👦'
    for (const before of ['x'.repeat(999), 'x'.repeat(995), `${'x'.repeat(990)}é`]) {
      const [quote = ''] = section(before + family.repeat(20)).match(/^> .*$/m) ?? []
      expect(quote).toMatch(/^> x+é?(👨‍👩‍👧‍👦)*… \(\d+ more characters\)$/u)
    }
    expect(section('承'.repeat(1000))).toContain(`> ${'承'.repeat(1000)}\n`)
    expect(section('x'.repeat(1001))).toContain(`> ${'x'.repeat(1000)}… (1 more characters)`)
  })

  test('[DC3] tool calls and media are told without content; what is left out is counted', () => {
    const calls = message('', {
      role: 'assistant',
      toolCalls: [{ function: { name: 'ls' } }, { name: 'x\n## y' }],
    })
    const text = noteSection(
      {
        key: 'a:b',
        summary: '',
        messageCount: 9,
        first: [calls],
        last: [message('bye', { media: [1] })],
      },
      rule,
    )
    expect(text).toBe(
      '\n## a:b\n\n9 messages\n\n**18:05 assistant** (calls ls, calls a tool)\n\n*7 more messages in between*\n\n**18:05 user** (1 media)\n\n> bye\n',
    )
  })

  test('[DC3] the front matter is YAML for any channel, and only words become tags', () => {
    const head = noteHead({
      day: '2026-02-28',
      channels: ['a"b: c', 'web', '会社'],
      conversations: 3,
      messages: 4,
    })
    expect(head).toContain('channels: ["a\\"b: c", "web", "会社"]\n')
    expect(head).toContain('tags: ["daily-note", "channel/web", "channel/会社"]\n')
    expect(head).toContain('[[20260227]] · [[20260301]]')
  })

  test('[DC12] a day leads with summaries, done, decided and left, each in one line', () => {
    const hostile = 'A way\n## web:p.b\r\n- [ ] x\u2028---'
    const text = noteSummary({
      conversations: [{ key: 'web:p.a', summary: hostile }],
      done: ['Retry uploads'],
      decided: ['plan: approved (Go on.)'],
      left: Array.from({ length: 51 }, (_, nth) => `step ${nth}`),
    })
    const lines = text.split('\n').filter(Boolean)
    expect(lines.slice(0, 7)).toEqual([
      '## Summary',
      '- **web:p.a**: A way ## web:p.b - [ ] x ---',
      '### Done',
      '- Retry uploads',
      '### Decided',
      '- plan: approved (Go on.)',
      '### Left',
    ])
    expect([lines.length, lines.at(-1)]).toEqual([7 + 51, '- … 1 more'])
    expect(noteSummary({ conversations: [], done: [], decided: [], left: [] })).toBe('')
  })
})
