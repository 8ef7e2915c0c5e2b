/** The server's sentences about agents, in the reader's language (UI5). */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { afterText, both, withOutput } from '../../../src/domain/notices.ts'
import {
  earlierSentences,
  type SentenceCode,
  sentences,
} from '../../../src/domain/status-text-list.ts'
import { statusNotice } from '../../../src/domain/status-texts.ts'
import { type Notice, tellsExit, translated } from '../../../src/protocol/notice-words.ts'
import { noticeOfOldText } from '../../../src/protocol/old-sentences.ts'
import { en } from '../../../web/src/translations/en.ts'
import { translation } from '../../../web/src/translations/ja-sentences.ts'

const codes = Object.keys(sentences) as SentenceCode[]
const namesIn = (form: string): string[] =>
  [...form.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
/** Said with parameters that are easily found again. */
const marked = (form: string): string => form.replaceAll(/\{(\w+)\}/g, '<$1>')
const said = (code: SentenceCode): string => marked(sentences[code])
const isEarlier = (code: SentenceCode): code is keyof typeof earlierSentences =>
  Object.hasOwn(earlierSentences, code)
const noticeOf = (code: SentenceCode): Notice => ({
  code,
  params: Object.fromEntries(namesIn(sentences[code]).map((n) => [n, `<${n}>`])),
})
const inJapanese = (text: string, notice?: Notice): string => translated(translation, text, notice)

test.each(codes)(
  '[UI5] %s is Japanese on the Japanese page: by its code, and by its form in a row of before',
  (code) => {
    const shown = inJapanese('never read', noticeOf(code))
    if (isEarlier(code)) {
      const before = marked(earlierSentences[code])
      expect(noticeOfOldText(before, earlierSentences)).toEqual(noticeOf(code))
      expect(inJapanese(before)).toBe(shown)
    }
    expect([...shown.matchAll(/<(\w+)>/g)].map(([, name]) => name).sort()).toEqual(
      namesIn(sentences[code]),
    )
    // Commands in back quotes are to be typed as they stand.
    const without = shown.replaceAll(/<\w+>/g, '').replaceAll(/`[^`]*`/g, '')
    expect(without).toMatch(/[ぁ-んァ-ヶ一-龠]/)
    expect(
      without.replaceAll(
        /HOLDFAST_TELEGRAM_TOKEN|telegram\.(?:token|api_root)|Holdfast|Telegram|BotFather|ACP|PATH|ID|MiB|git|JSON|core\.worktree/g,
        '',
      ),
    ).not.toMatch(/[A-Za-z]{2}/)
    expect(translated(en.translation, said(code), noticeOf(code))).toBe(said(code))
  },
)

test('[UI5] a reason within a reason is translated too; what an agent wrote stays as it is', () => {
  const last = statusNotice('exitCode', { code: 1 })
  const often = statusNotice('failedOftenLast', { count: 3, seconds: 60, last })
  const words = '60 秒間に 3 回失敗しました。最後の理由: 終了コード 1 で終了しました'
  expect(inJapanese(often.text, often.notice)).toBe(words)
  expect(inJapanese(often.text)).toBe(words)
  const copied = statusNotice('failedOftenLast', { count: 3, seconds: 60, last: last.text })
  expect(inJapanese(copied.text, copied.notice)).toBe(
    '60 秒間に 3 回失敗しました。最後の理由: It ended with exit code 1',
  )
  expect(inJapanese(`${statusNotice('processEnded').text}\nIt ended with exit code 1`)).toBe(
    'プロセスが終了しました\nIt ended with exit code 1',
  )
  expect(inJapanese('Rate limit')).toBe('Rate limit')
  expect(inJapanese('What a newer server says', { code: 'notKnownHere', params: {} })).toBe(
    'What a newer server says',
  )
})

test('[UI5] a notice after the text of an agent is translated, and the text stays as it is', () => {
  const stopped = afterText('Half an answer', statusNotice('stoppedBy', { who: 'Anna' }))
  expect(stopped.text).toBe('Half an answer\n\nStopped by Anna.')
  expect(inJapanese(stopped.text, stopped.notice)).toBe('Half an answer\n\nAnna が停止しました。')
  expect(inJapanese(stopped.text.slice(0, 10), stopped.notice)).toBe('Half an an')
  const ran = both(statusNotice('endedEmpty'), statusNotice('endedAfterTools', { tools: 'ls' }))
  expect(inJapanese(ran.text, ran.notice)).toContain('\n\n')
  expect(inJapanese(ran.text, ran.notice)).not.toContain('The agent')
})

test('[UI5] a code tells whether a detail names the exit, or its form in old rows', () => {
  const { text, notice } = statusNotice('exitCode', { code: 1 })
  const signal = statusNotice('endedBySignal', { signal: 'SIGKILL' }).text
  expect(tellsExit({ detail: 'in any words', notice })).toBe(true)
  const failed = withOutput(statusNotice('exitCode', { code: 1 }), 'Segmentation fault')
  expect(
    tellsExit({
      detail: 'in any words',
      notice: typeof failed === 'object' ? failed.notice : null,
    }),
  ).toBe(true)
  expect(tellsExit({ detail: text, notice: statusNotice('noReason').notice })).toBe(false)
  expect(
    [text, signal, statusNotice('noReason').text, null].map((detail) => tellsExit({ detail })),
  ).toEqual([true, true, false, false])
})

test('[UI5] the words of a language import only types of the page, which waits for them', () => {
  const folder = new URL('../../../web/src/translations/', import.meta.url)
  const files = readdirSync(folder).filter((name) => /^(?:en|ja)\b/.test(name))
  const takes = (file: URL): string[] =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /^(?:import|export) (?!type\b)[^']*? from '(\.\.\/[^']*)'$/gm,
      ),
    ].map(([, from = '']) => from)
  const taken = files.flatMap((name) => takes(new URL(name, folder)))
  // A list that takes nothing itself, and is loaded with the words alone.
  expect([files.length > 10, new Set(taken)]).toEqual([
    true,
    new Set(['../../../src/protocol/status-text-list.ts']),
  ])
  const lists = takes(new URL('../../../src/protocol/status-text-list.ts', folder))
  expect(lists).toEqual(['../domain/status-text-list.ts'])
  expect(
    lists.flatMap((list) => takes(new URL(list, new URL('../../../src/protocol/', folder)))),
  ).toEqual([])
})
