import ts from 'typescript'
import { expect, test } from 'vitest'
import { filesOfTheRepository, isCode, nodesOf, parse, placeOf, type SourceFile } from './source-files.ts'

const code = filesOfTheRepository().filter(isCode)

/** `test.only(…)`, `describe.skip.each(…)` and their kind, wherever they stand in the chain. */
function narrowed(source: SourceFile): string[] {
  // Most files have none: they need not be parsed to be sure.
  if (!/\.\s*(only|skip|skipIf|runIf|todo|fails)\b/.test(source.text)) return []
  const file = parse(source)
  const found: string[] = []
  for (const node of nodesOf(file)) {
    if (!ts.isPropertyAccessExpression(node) || !/^(only|skip|skipIf|runIf|todo|fails)$/.test(node.name.text)) continue
    let first: ts.Expression = node.expression
    while (ts.isPropertyAccessExpression(first) || ts.isCallExpression(first)) first = first.expression
    if (ts.isIdentifier(first) && /^(test|it|describe|suite|bench)$/.test(first.text))
      found.push(`${placeOf(file, node)} ${node.getText()}`)
  }
  return found
}

function promises({ path, text }: SourceFile): string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g) ?? []
  return comments.filter((comment) => /\b(TODO|FIXME|XXX|HACK)\b/.test(comment)).map((comment) => `${path}: ${comment}`)
}

test('[HS9] every test runs: none is left out and none is alone', () => {
  expect(code.flatMap(narrowed)).toEqual([])
})

test('[HS9] nothing is promised for later in a comment', () => {
  expect(code.flatMap(promises)).toEqual([])
})

test('[HS9] the control: both are found', () => {
  expect(narrowed({ path: 'test/x.test.ts', text: "test.skip('x', () => {})" })).toHaveLength(1)
  expect(narrowed({ path: 'test/x.test.ts', text: "describe.only.each([1])('x', () => {})" })).toHaveLength(1)
  expect(promises({ path: 'src/x.ts', text: `// ${'TO'}DO mend this` })).toHaveLength(1)
})
