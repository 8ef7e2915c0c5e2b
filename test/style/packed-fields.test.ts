import { expect, test } from 'vitest'
import type { SourceFile } from './source-files.ts'
import {
  eachNode,
  filesOfTheRepository,
  isCode,
  type Node,
  parse,
  placeOf,
} from './source-files.ts'

/** `{ ...{ a, b }, c }`: fields on one line that belong on lines of their own. */
function packedFields(source: SourceFile): string[] {
  // Parsing is slow, and most files have none.
  if (!/\.\.\.\{/.test(source.text)) return []
  const found: string[] = []
  eachNode(parse(source).program, (node) => {
    const spread = node.type === 'SpreadElement' && (node['argument'] as Node)
    if (spread && spread.type === 'ObjectExpression') found.push(placeOf(source, node))
  })
  return found
}

test('[HS26] no fields are packed into an object that is spread at once', () => {
  expect(filesOfTheRepository().filter(isCode).flatMap(packedFields)).toEqual([])
})

test('[HS26] the control: packed fields are found, and a spread choice is none', () => {
  const text = 'const a = {\n  ...{ b, c },\n  ...(d ? { e } : {}),\n}\n'
  expect(packedFields({ path: 'src/a.ts', text })).toEqual(['src/a.ts:2'])
})
