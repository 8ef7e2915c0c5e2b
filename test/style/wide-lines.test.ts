import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode, root, type SourceFile } from './source-files.ts'

const maxColumns = 100

/**
 * How many wider lines there still are: comments, and what the formatter leaves, which are texts
 * and titles of tests. The numbers may only fall:
 * `LOWER_WIDE_LINES=1 npm test -- test/style/wide-lines` writes the lower ones.
 */
const file = join(root, 'test/style/wide-lines.json')
const allowed = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>

/** Forms that an earlier build left, and what another program prints: they stay as they are. */
const isFixture = /^src\/store\/migrations\/00|^test\/store\/earlier-stores\//

/** The path of an import, and what tells the linter why, cannot be broken. */
const cannotBeBroken = /^(?:import |export )?.*\} from '[^']+'$|(?:\/\/|\{\/\*) biome-ignore /

const isComment = /^\s*(?:\/\*|\*|\/\/)/

function wideLines(files: readonly SourceFile[]): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const { path, text } of files) {
    if (isFixture.test(path)) continue
    const [folder = ''] = path.split('/')
    for (const [index, line] of text.split('\n').entries()) {
      if (line.length <= maxColumns || cannotBeBroken.test(line)) continue
      const kind = `${folder}: ${isComment.test(line) ? 'comments' : 'others'}`
      found[kind] ??= []
      found[kind].push(`${path}:${index + 1}`)
    }
  }
  return found
}

test(`[HS3] no more lines are wider than ${maxColumns} columns than were left`, () => {
  const found = wideLines(filesOfTheRepository().filter(isCode))
  const tooMany = Object.entries(found).filter(([kind, at]) => at.length > (allowed[kind] ?? 0))
  const message = tooMany.map(([kind, at]) => [
    `${kind}: ${at.length}, allowed ${allowed[kind] ?? 0}`,
    at,
  ])
  expect(Object.fromEntries(message)).toEqual({})
  if (process.env['LOWER_WIDE_LINES']) {
    const counts = Object.entries(found).map(([kind, at]) => [kind, at.length] as const)
    const sorted = Object.fromEntries(counts.sort(([a], [b]) => (a < b ? -1 : 1)))
    writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
  }
})

test('[HS3] the control: a wide comment and text are found, and 100 columns pass', () => {
  const text = `// ${'x'.repeat(98)}\nconst text =\n  '${'x'.repeat(97)}'\n${'x'.repeat(100)}\n`
  const wideImport = `import { a } from '${'x'.repeat(97)}'\n`
  expect(wideLines([{ path: 'src/a.ts', text: wideImport }])).toEqual({})
  expect(wideLines([{ path: 'src/a.ts', text }])).toEqual({
    'src: comments': ['src/a.ts:1'],
    'src: others': ['src/a.ts:3'],
  })
})
