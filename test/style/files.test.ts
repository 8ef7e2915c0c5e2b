import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode } from './source-files.ts'

const MAX_LINES = 400
const code = filesOfTheRepository().filter(isCode)

test(`[HS3] no file is longer than ${MAX_LINES} lines`, () => {
  const long = code
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
  expect(long).toEqual([])
})

test('[HS4] a file is named after what it is: no utils, helpers, manager or common, and no barrels', () => {
  const empty = /(^|[-.])(utils?|helpers?|managers?|common|misc|shared|index)([-.]|$)/
  expect(code.map(({ path }) => path).filter((path) => empty.test(basename(path).replace(/\.tsx?$/, '')))).toEqual([])
})

test('[HS5] a file of the product opens by saying what it is for', () => {
  const silent = code.filter(({ path, text }) => /^(src|web\/src)\//.test(path) && !/^(#!.*\n)?\/\*\*[\s\S]{20,}?\*\//.test(text))
  expect(silent.map(({ path }) => path)).toEqual([])
})
