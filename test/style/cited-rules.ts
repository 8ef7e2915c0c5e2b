/** Which rules the tests and benchmarks cite, and which the specification has. */
import {
  beginningOf,
  eachNode,
  type Node,
  type Parsed,
  parse,
  placeOf,
  type SourceFile,
  textOf,
} from './source-files.ts'

const cited = /\[([A-Z]{2}\d+)\]/g

interface Titled {
  readonly call: Node
  readonly title: string
}

/** `test(…)`, `describe(…)`, `test.each(…)(…)` and the like that begin with a title. */
function titlesIn(file: Parsed): Titled[] {
  const found: Titled[] = []
  eachNode(file.program, (call) => {
    if (call.type !== 'CallExpression' || !isTestCall(call)) return
    const [title] = call['arguments'] as Node[]
    if (title && (typeof title['value'] === 'string' || title.type === 'TemplateLiteral'))
      found.push({ call, title: textOf(file, title).slice(1, -1) })
  })
  return found
}

export interface TitlesOfFile {
  /** The rules that stand in titles. */
  readonly rules: readonly string[]
  /** Titles that begin with no rule, neither themselves nor by the group they are in. */
  readonly withoutRule: readonly string[]
}

export function readTitles(source: SourceFile): TitlesOfFile {
  const file = parse(source)
  const titles = titlesIn(file)
  const begins = (title: string): boolean => /^\[[A-Z]{2}\d+\]/.test(title)
  const isGroup = ({ call }: Titled): boolean => /^(describe|suite)\b/.test(textOf(file, call))
  const groups = titles.filter((each) => isGroup(each) && begins(each.title))
  const withoutRule = titles
    .filter((each) => !isGroup(each) && !begins(each.title))
    .filter(
      ({ call }) =>
        !groups.some((group) => group.call.start <= call.start && call.end <= group.call.end),
    )
    .map(({ call, title }) => `${placeOf(file, call)} ${title}`)
  return { rules: titles.flatMap(({ title }) => idsIn(title)), withoutRule }
}

/**
 * A benchmark names its operations in strings that begin with the rule: `'[SP5] durable append'`.
 */
export function rulesMeasuredBy(source: SourceFile): string[] {
  const texts: string[] = []
  eachNode(parse(source).program, (node) => {
    const isText = typeof node['value'] === 'string' || node.type === 'TemplateElement'
    const text = isText ? textOf(source, node).replace(/^['"]/, '') : ''
    if (text.startsWith('[')) texts.push(text)
  })
  return texts.flatMap(idsIn)
}

/** A rule begins its line: `- HT1 …` or, in a table, `| SP1 | …`. */
export const rulesDefinedIn = ({ text }: SourceFile): string[] =>
  [...text.matchAll(/^(?:- |\| )([A-Z]{2}\d+) /gm)].map(([, id]) => id ?? '')

/**
 * Rules with more words than that, each with how many; a rule goes on to the next one, a heading, a
 * table or an empty line.
 */
export const rulesLongerThan = (maxWords: number, { text }: SourceFile): Record<string, number> =>
  Object.fromEntries(
    [...text.matchAll(/^- ([A-Z]{2}\d+) ([\s\S]*?)(?=^- |^#|^\||\n\n|(?![\s\S]))/gm)]
      .map(([, id = '', words = '']): [string, number] => [id, words.trim().split(/\s+/).length])
      .filter(([, count]) => count > maxWords),
  )

const idsIn = (text: string): string[] => [...text.matchAll(cited)].map(([, id]) => id ?? '')

function isTestCall(call: Node): boolean {
  const first = beginningOf(call)
  return first.type === 'Identifier' && /^(test|it|describe|suite)$/.test(String(first['name']))
}
