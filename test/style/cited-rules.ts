/** Which rules the tests and benchmarks cite, and which the specification has. */
import ts from 'typescript'
import { nodesOf, parse, placeOf, type SourceFile } from './source-files.ts'

const cited = /\[([A-Z]{2}\d+)\]/g

interface Titled {
  readonly call: ts.CallExpression
  readonly title: string
}

/** `test(…)`, `describe(…)`, `test.each(…)(…)` and the like that begin with a title. */
function titlesIn(file: ts.SourceFile): Titled[] {
  const found: Titled[] = []
  for (const call of nodesOf(file)) {
    if (!ts.isCallExpression(call) || !isTestCall(call.expression)) continue
    const title = call.arguments[0]
    if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
      found.push({ call, title: title.getText().slice(1, -1) })
  }
  return found
}

export const rulesCitedBy = (source: SourceFile): string[] => titlesIn(parse(source)).flatMap(({ title }) => idsIn(title))

/** Titles that begin with no rule, neither themselves nor by the group they are in. */
export function titlesWithoutRule(source: SourceFile): string[] {
  const file = parse(source)
  const titles = titlesIn(file)
  const begins = (title: string): boolean => /^\[[A-Z]{2}\d+\]/.test(title)
  const isGroup = ({ call }: Titled): boolean => /^(describe|suite)\b/.test(call.expression.getText())
  const groups = titles.filter((each) => isGroup(each) && begins(each.title))
  return titles
    .filter((each) => !isGroup(each) && !begins(each.title))
    .filter(({ call }) => !groups.some((group) => group.call.pos <= call.pos && call.end <= group.call.end))
    .map(({ call, title }) => `${placeOf(file, call)} ${title}`)
}

/** A benchmark names its operations in strings that begin with the rule: `'[SP5] durable append'`. */
export function rulesMeasuredBy(source: SourceFile): string[] {
  const texts: string[] = []
  for (const node of nodesOf(parse(source))) {
    if (ts.isStringLiteralLike(node) && node.text.startsWith('[')) texts.push(node.text)
  }
  return texts.flatMap(idsIn)
}

/** A rule begins its line: `- HT1 …` or, in a table, `| SP1 | …`. */
export const rulesDefinedIn = ({ text }: SourceFile): string[] =>
  [...text.matchAll(/^(?:- |\| )([A-Z]{2}\d+) /gm)].map(([, id]) => id ?? '')

const idsIn = (text: string): string[] => [...text.matchAll(cited)].map(([, id]) => id ?? '')

function isTestCall(called: ts.Expression): boolean {
  let first = called
  while (ts.isPropertyAccessExpression(first) || ts.isCallExpression(first) || ts.isTaggedTemplateExpression(first)) {
    first = ts.isTaggedTemplateExpression(first) ? first.tag : first.expression
  }
  return ts.isIdentifier(first) && /^(test|it|describe|suite)$/.test(first.text)
}
