import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readTitles, rulesDefinedIn } from './cited-rules.ts'
import { filesOfTheRepository, root } from './source-files.ts'

const text = readFileSync(join(root, 'docs/spec/seeds.md'), 'utf8')
const rows = [...text.matchAll(/^\| (\d+\.\d+) \| (.+?) \| ([A-Z0-9 ]+) \| (.+) \|$/gm)].map(
  ([, number = '', requirement = '', rules = '', tests = '']) => ({
    number,
    requirement,
    rules: rules.split(' '),
    tests: [...tests.matchAll(/\]\(\.\.\/\.\.\/(test\/[^)]+)\)/g)].map(([, path = '']) => path),
  }),
)
const built = rows.filter(({ tests }) => tests.length > 0)

test('[HS21] requirements have a number, a rule and a test; all are built', () => {
  expect(rows).toHaveLength(text.split('\n').filter((line) => /^\| \d/.test(line)).length)
  const next = new Map<string, number>()
  for (const { number } of rows) {
    const [document = '', place] = number.split('.')
    next.set(document, (next.get(document) ?? 0) + 1)
    expect(number).toBe(`${document}.${next.get(document)}`)
    expect(place).toBeDefined()
  }
  expect([...next.keys()]).toEqual(['1', '2', '3', '4', '5'])
  expect(text).toContain(`${rows.length} requirements`)
  expect(rows.filter((row) => !built.includes(row))).toEqual([])
  expect(new Set(rows.map(({ requirement }) => requirement)).size).toBe(rows.length)
})

test('[HS21] each rule of a requirement exists, and a title in its named file cites it', () => {
  const defined = new Set(
    filesOfTheRepository()
      .filter(({ path }) => /^docs\/spec\/\d-/.test(path))
      .flatMap(rulesDefinedIn),
  )
  const titles = new Map<string, readonly string[]>()
  const citedBy = (path: string): readonly string[] => {
    const known = titles.get(path)
    if (known) return known
    const file = join(root, path)
    const cited = existsSync(file)
      ? readTitles({ path, text: readFileSync(file, 'utf8') }).rules
      : []
    titles.set(path, cited)
    return cited
  }
  const wrong = built.flatMap(({ number, rules, tests }) => [
    ...rules.filter((rule) => !defined.has(rule)).map((rule) => `${number}: no rule ${rule}`),
    ...rules
      .filter((rule) => !tests.some((path) => citedBy(path).includes(rule)))
      .map((rule) => `${number}: ${rule} in none of its tests`),
    ...tests
      .filter((path) => !citedBy(path).some((rule) => rules.includes(rule)))
      .map((path) => `${number}: none of it in ${path}`),
  ])
  expect(wrong).toEqual([])
})
