import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findOldWords } from './old-words.ts'
import { filesOfTheRepository, isCode, root } from './source-files.ts'

/**
 * How many of each there still are: names, and places in comments. The numbers may only fall:
 * `LOWER_OLD_WORDS=1 npm test -- test/style/old-words` writes the lower ones.
 */
const file = join(root, 'test/style/old-words.json')
const allowed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
const isAboutThem = /^test\/style\/old-words/

test('[HS14] no more words that only we understand, and none that was gone comes back', () => {
  const found = findOldWords(
    filesOfTheRepository().filter((source) => isCode(source) && !isAboutThem.test(source.path)),
  )
  const counts = Object.entries(found).map(([rule, places]): [string, number] => [
    rule,
    places.length,
  ])
  const tooMany = counts.filter(([rule, count]) => count > (allowed[rule] ?? 0))
  expect(
    Object.fromEntries(
      tooMany.map(([rule, count]) => [
        `${rule}: ${count}, allowed ${allowed[rule] ?? 0}`,
        found[rule],
      ]),
    ),
  ).toEqual({})
  if (process.env['LOWER_OLD_WORDS'])
    writeFileSync(
      file,
      `${JSON.stringify(Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
    )
})

test.each([
  ['src/server/chat-keepers.ts', '', 'name: keeper'],
  ['src/a.ts', 'const duties = 1', 'name: duty'],
  ['src/a.ts', 'class ChatKeeper {}', 'name: keeper'],
  ['src/a.ts', 'this.#letGoOf(1)', 'name: let go'],
  ['src/a.ts', '// Waits for whoever asked.', 'comment: whoever'],
  ['src/a.ts', '/** Of a part that comes again, the first counts. */', 'comment begins: Of'],
  ['src/a.ts', '/**\n * Its first line.\n */', 'comment begins: It'],
])('[HS14] the control: found in %s with `%s`', (path, text, rule) => {
  expect(Object.keys(findOldWords([{ path, text }]))).toEqual([rule])
})

test('[HS14] the control: texts and names with three homes pass, one with four does not', () => {
  const text =
    "const keep = 'a duty'; const url = 'https://duty.example' // Often told otherwise.\nconst item = `whoever`"
  expect(findOldWords([{ path: 'src/keep.ts', text }])).toEqual({})
  const homes = ['src/a.ts', 'src/b.ts', 'src/c.ts'].map((path) => ({
    path,
    text: 'export const place = 1',
  }))
  expect(findOldWords(homes)).toEqual({})
  expect(
    findOldWords([...homes, { path: 'web/src/d.ts', text: 'export type place = 1' }]),
  ).toHaveProperty(['exported in many files: place'])
})
