import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode } from './source-files.ts'

const MAX_LINES = 400
const code = filesOfTheRepository().filter(isCode)

/** Files that are longer, with how long each may be: a list that only shrinks. */
const longFiles: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('long-files.json', import.meta.url), 'utf8'),
)

test(`[HS3] no file is longer than ${MAX_LINES} lines but those listed, which only shrink`, () => {
  const lines = new Map(code.map(({ path, text }) => [path, text.split('\n').length - 1]))
  const long = [...lines].filter(([path, count]) => count > (longFiles[path] ?? MAX_LINES))
  expect(Object.fromEntries(long)).toEqual({})
  const listedInVain = Object.keys(longFiles).filter((path) => (lines.get(path) ?? 0) <= MAX_LINES)
  expect(listedInVain).toEqual([])
})

test('[HS4] a file is named after what it is: no utils, helpers, managers, barrels', () => {
  const empty = /(^|[-.])(utils?|helpers?|managers?|common|misc|shared|index)([-.]|$)/
  expect(
    code
      .map(({ path }) => path)
      .filter((path) => empty.test(basename(path).replace(/\.tsx?$/, ''))),
  ).toEqual([])
})

test('[HS5] a file of the product opens by saying what it is for', () => {
  const silent = code.filter(
    ({ path, text }) =>
      /^(src|web\/src)\//.test(path) && !/^(#!.*\n)?\/\*\*[\s\S]{20,}?\*\//.test(text),
  )
  expect(silent.map(({ path }) => path)).toEqual([])
})
