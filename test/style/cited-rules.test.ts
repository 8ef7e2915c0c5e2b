import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTitles, rulesDefinedIn, rulesLongerThan, rulesMeasuredBy } from './cited-rules.ts'
import { filesOfTheRepository, root } from './source-files.ts'

const files = filesOfTheRepository()
const defined = new Set(
  files.filter(({ path }) => /^docs\/spec\/\d+-.*\.md$/.test(path)).flatMap(rulesDefinedIn),
)
const titles = files.filter(({ path }) => /^test\/.*\.tsx?$/.test(path)).map(readTitles)
const cited = new Set([
  ...titles.flatMap(({ rules }) => rules),
  ...files.filter(({ path }) => /^bench\/.*\.ts$/.test(path)).flatMap(rulesMeasuredBy),
])
const { built } = JSON.parse(readFileSync(join(root, 'docs/spec/status.json'), 'utf8')) as {
  built: string[]
}

test('[HS6] every rule that is said to be built is cited by a test or a benchmark', () => {
  expect(built.filter((id) => !cited.has(id))).toEqual([])
})

test('[HS6] every rule that is cited exists', () => {
  expect([...cited, ...built].filter((id) => !defined.has(id))).toEqual([])
})

test('[HS6] every test says by its title, or by that of its group, which rule it checks', () => {
  expect(titles.flatMap(({ withoutRule }) => withoutRule)).toEqual([])
})

const MAX_WORDS = 100

test('[HS18] a rule of the specification has at most 100 words', () => {
  const long = files
    .filter(({ path }) => /^docs\/spec\/\d+-.*\.md$/.test(path))
    .map((file) => rulesLongerThan(MAX_WORDS, file))
  const tooLong = Object.entries(Object.assign({}, ...long) as Record<string, number>)
  expect(tooLong).toEqual([])
})

test('[HS18] the control: a long rule is found, and counted by itself', () => {
  const text = `- AB1 ${'word '.repeat(60)}\n  ${'word '.repeat(60)}\n- AB2 short\n\nText ${'word '.repeat(200)}`
  expect(rulesLongerThan(MAX_WORDS, { path: 'docs/spec/1-x.md', text })).toEqual({ AB1: 120 })
})

test('[HS6] the control: titles are found in every form, other strings are not', () => {
  const text = [
    "test('[SE2] one', () => {})",
    "describe('[SE3] two', () => {})",
    "test.each([1])('[SE5] three %s', () => {})",
    "test.prop([x])('[SE6] four', () => {})",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a test
    'it(`[SE7] five ${x}`, () => {})',
    "const text = '[SE8] not a title'",
  ].join('\n')
  expect(readTitles({ path: 'test/x.test.ts', text }).rules).toEqual([
    'SE2',
    'SE3',
    'SE5',
    'SE6',
    'SE7',
  ])
  const grouped =
    "describe('[SE2] doors', () => { test('are closed', () => {}) })\ntest('opens', () => {})"
  expect(readTitles({ path: 'test/x.test.ts', text: grouped }).withoutRule).toEqual([
    'test/x.test.ts:2 opens',
  ])
  expect(
    rulesDefinedIn({ path: 'x.md', text: '- HT1 JSON\n| SP1 | start |\nSee HT2 there' }),
  ).toEqual(['HT1', 'SP1'])
})
