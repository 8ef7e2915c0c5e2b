/** What the server says of agents, in the language of whoever reads it (UI5). */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { saidIn, tellsExit, understood } from '../../../src/domain/sentence-forms.ts'
import { type SentenceCode, sentences } from '../../../src/domain/sentence-list.ts'
import { statusText } from '../../../src/domain/sentences.ts'
import { en } from '../../../web/src/translations/en.ts'
import { sentences as japanese } from '../../../web/src/translations/ja-sentences.ts'

const codes = Object.keys(sentences) as SentenceCode[]
const namesIn = (form: string): string[] => [...form.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).sort()
/** Said with particulars that are easily found again. */
const said = (code: SentenceCode): string => sentences[code].replaceAll(/\{(\w+)\}/g, '<$1>')
const inJapanese = (text: string): string => saidIn(japanese, text)

test.each(codes)('[UI5] %s is found again with its particulars, and is Japanese on the Japanese page', (code) => {
  expect(understood(said(code), sentences)).toEqual({
    code,
    particulars: Object.fromEntries(namesIn(sentences[code]).map((n) => [n, `<${n}>`])),
  })
  expect(namesIn(japanese.words[code] ?? '')).toEqual(namesIn(sentences[code]))
  const without = inJapanese(said(code)).replaceAll(/<\w+>/g, '')
  expect(without).toMatch(/[ぁ-んァ-ヶ一-龠]/)
  expect(
    without.replaceAll(
      /HOLDFAST_TELEGRAM_TOKEN|telegram\.(?:token|api_root)|Holdfast|Telegram|BotFather|ACP|PATH|ID|MiB|git/g,
      '',
    ),
  ).not.toMatch(/[A-Za-z]{2}/)
  expect(saidIn(en.sentences, said(code))).toBe(said(code))
})

test('[UI5] a reason within a reason is said too; what an agent wrote stays as it is', () => {
  const last = statusText('exitCode', { code: 1 })
  expect(inJapanese(statusText('failedOftenLast', { count: 3, seconds: 60, last }))).toBe(
    '60 秒間に 3 回失敗しました。最後の理由: 終了コード 1 で終了しました',
  )
  expect(inJapanese(`${statusText('processEnded')}\nIt ended with exit code 1`)).toBe(
    'プロセスが終了しました\nIt ended with exit code 1',
  )
  expect(inJapanese('Rate limit')).toBe('Rate limit')
  expect([last, statusText('endedBySignal', { signal: 'SIGKILL' }), statusText('noReason'), null].map(tellsExit)).toEqual([
    true,
    true,
    false,
    false,
  ])
})

test('[UI5] the words of a language take nothing but types from the page, which waits for them before it is whole itself', () => {
  const folder = new URL('../../../web/src/translations/', import.meta.url)
  const files = readdirSync(folder).filter((name) => /^(?:en|ja)\b/.test(name))
  const takes = (file: URL): string[] =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type\b).* from '(\.\.\/.*)'$/gm)].map(([, from = '']) => from)
  const taken = files.flatMap((name) => takes(new URL(name, folder)))
  // Lists that take nothing themselves, and are loaded with the words alone.
  expect([files.length > 10, new Set(taken)]).toEqual([true, new Set(['../../../src/protocol/sentence-lists.ts'])])
  const lists = takes(new URL('../../../src/protocol/sentence-lists.ts', folder))
  expect(lists).toEqual(['../domain/refusal-sentences.ts', '../domain/sentence-list.ts'])
  expect(lists.flatMap((list) => takes(new URL(list, new URL('../../../src/protocol/', folder))))).toEqual([])
})
