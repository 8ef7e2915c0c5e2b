import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfTheRepository, root } from './source-files.ts'

/** Names that the product declares or gives to fields; those in texts and comments do not count. */
const declared = new Set(
  filesOfTheRepository()
    .filter(({ path }) => /^src\/.*\.ts$/.test(path))
    .flatMap(({ text }) => [
      ...text.matchAll(
        /(?:\b(?:const|function|class|interface|type|readonly|static|let)\s+|^\s*)(\w+)(?=[\s:(<=?;,])|'(held)'/gm,
      ),
    ])
    .flatMap(([, name, state]) => [name ?? state ?? '']),
)
const undeclared = (page: string): string[] =>
  [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \|/gm)]
    .flatMap(([, names = '']) => names.replaceAll('`', '').split(', '))
    .filter((name) => !declared.has(name))

test('[HS15] every word of the glossary is an identifier of the code', () => {
  const page = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  expect(undeclared(page)).toEqual([])
  expect([...page.matchAll(/^\| (?!`|word |name |---)(.*?) \|/gm)].map(([, word]) => word)).toEqual(
    [],
  )
})

test('[HS15] the control: a word that the code has not is found', () => {
  expect(undeclared('| `Doorbell` | a |\n| `peephole` | b |')).toEqual(['peephole'])
})
