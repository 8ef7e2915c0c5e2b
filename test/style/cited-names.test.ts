import { expect, test } from 'vitest'
import { CitedNames } from './cited-names.ts'
import { filesOfTheRepository, isCode } from './source-files.ts'

test('[HS25] every name in back quotes and every file that a comment cites exists', () => {
  const everything = filesOfTheRepository()
  const names = new CitedNames(everything)
  expect(everything.filter(isCode).flatMap((source) => names.missingIn(source))).toEqual([])
})

test.each([
  ['// Called by `letGo`.', ['`letGo`']],
  ['/** See lifecycle.ts and other-file.ts. */', ['other-file.ts']],
  ['// `runTurn`, `Turn.end()`, `#ended`, `log.level` and docs/turns.md.', []],
  ["const url = 'https://host' // `gone`", ['`gone`']],
])('[HS25] the control: what %s cites and is nowhere is found', (text, missing) => {
  const code = "class Turn { end() {} #ended; runTurn() { return 'log.level' } }\n"
  const source = { path: 'src/lifecycle.ts', text: code + text }
  const names = new CitedNames([source, { path: 'docs/turns.md', text: '' }])
  expect(names.missingIn(source).map((place) => place.split(' ')[1])).toEqual(missing)
})
