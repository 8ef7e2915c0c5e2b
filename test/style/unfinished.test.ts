import { expect, test } from 'vitest'
import {
  beginningOf,
  eachNode,
  filesOfTheRepository,
  isCode,
  isNamedMember,
  type Node,
  parse,
  placeOf,
  type SourceFile,
  textOf,
} from './source-files.ts'

const code = filesOfTheRepository().filter(isCode)

/** `test.only(…)`, `describe.skip.each(…)` and their kind, wherever they stand in the chain. */
function narrowed(source: SourceFile): string[] {
  // Parsing is slow, and most files have none.
  if (!/\.\s*(only|skip|skipIf|runIf|todo|fails)\b/.test(source.text)) return []
  const found: string[] = []
  eachNode(parse(source).program, (node) => {
    if (
      !isNamedMember(node) ||
      !/^(only|skip|skipIf|runIf|todo|fails)$/.test(String((node['property'] as Node)['name']))
    )
      return
    const first = beginningOf(node)
    if (
      first.type === 'Identifier' &&
      /^(test|it|describe|suite|bench)$/.test(String(first['name']))
    )
      found.push(`${placeOf(source, node)} ${textOf(source, node)}`)
  })
  return found
}

function promises({ path, text }: SourceFile): string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g) ?? []
  return comments
    .filter((comment) => /\b(TODO|FIXME|XXX|HACK)\b/.test(comment))
    .map((comment) => `${path}: ${comment}`)
}

test('[HS9] every test runs: none is left out and none is alone', () => {
  expect(code.flatMap(narrowed)).toEqual([])
})

test('[HS9] nothing is promised for later in a comment', () => {
  expect(code.flatMap(promises)).toEqual([])
})

test('[HS9] the control: both are found', () => {
  expect(narrowed({ path: 'test/x.test.ts', text: "test.skip('x', () => {})" })).toHaveLength(1)
  expect(
    narrowed({ path: 'test/x.test.ts', text: "describe.only.each([1])('x', () => {})" }),
  ).toHaveLength(1)
  expect(promises({ path: 'src/x.ts', text: `// ${'TO'}DO mend this` })).toHaveLength(1)
})
