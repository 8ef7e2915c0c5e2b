import { expect, test } from 'vitest'
import { namesThatSayNothing } from './plain-names.ts'
import { filesOfTheRepository, isCode, parse } from './source-files.ts'

/** Where names are plain; the page follows. */
const folders = /^src\//

test('[HS14] no variable, function or type has a name that says nothing of what it is', () => {
  const sources = filesOfTheRepository().filter((each) => isCode(each) && folders.test(each.path))
  expect(sources.map(parse).flatMap(namesThatSayNothing)).toEqual([])
})

test.each([
  ['const known = 1', 'known'],
  ['const [first, said] = []', 'said'],
  ['const { flags: kept = 1 } = {}', 'kept'],
  ['function talk() {}', 'talk'],
  ['type Place = string', 'Place'],
  ['const f = (which: string, { a: [its] }) => 1', 'which its'],
  ['class A { b(asked = 1) {} }', 'asked'],
  ['const { known } = fields; const knownAgent = { said: 1 }', ''],
])('[HS14] the control: in `%s` is found: %s', (text, names) => {
  const found = namesThatSayNothing(parse({ path: 'src/a.ts', text }))
  expect(found.map((place) => place.split(' ')[1]).join(' ')).toBe(names)
})
