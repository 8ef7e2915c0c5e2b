/** A turn that is prompted begins in one file, and every turn ends in one (HS29). */
import { expect, test } from 'vitest'
import {
  eachNode,
  filesOfTheRepository,
  type Node,
  parse,
  type SourceFile,
} from './source-files.ts'

/** Who alone imports these steps of a begin and an end. */
const importers: Readonly<Record<string, string>> = {
  startTurn: 'src/services/flows/turns/start-in-context.ts',
  recordEnd: 'src/services/flows/turns/end-turn.ts',
  settleTurn: 'src/services/flows/turns/end-turn.ts',
  requeueLostTurn: 'src/services/flows/turns/end-turn.ts',
}

function importedElsewhere(files: readonly SourceFile[]): string[] {
  const found: string[] = []
  for (const file of files.filter(({ path }) => /^src\/.*\.ts$/.test(path)))
    eachNode(parse(file).program, (node) => {
      if (node.type !== 'ImportSpecifier') return
      const name = (node['imported'] as Node)['name'] as string
      const importer = importers[name]
      if (importer && importer !== file.path) found.push(`${file.path} imports ${name}`)
    })
  return found
}

test('[HS29] a turn that is prompted begins in one file, and every turn ends in one', () => {
  const files = filesOfTheRepository()
  const paths = new Set(files.map(({ path }) => path))
  for (const importer of Object.values(importers)) expect(paths.has(importer)).toBe(true)
  expect(importedElsewhere(files)).toEqual([])
})

test.each(Object.keys(importers))(
  '[HS29] the control: another file that imports %s is refused',
  (name) => {
    const path = 'src/services/flows/x.ts'
    const text = `import { ${name} } from '../turns/turn-record.ts'`
    expect(importedElsewhere([{ path, text }])).toEqual([`${path} imports ${name}`])
  },
)
