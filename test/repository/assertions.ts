/**
 * Finds tests that assert nothing: no `expect` in their body, nor in a function of the tests that
 * they call.
 */
import { dirname, join } from 'node:path/posix'
import {
  beginningOf,
  eachNode,
  type Node,
  type Parsed,
  parse,
  placeOf,
  type SourceFile,
  textOf,
} from '../style/source-files.ts'

/** Calls that fail a test by themselves. */
const asserting = /^(expect|assert)$/

const isFunction = (node: unknown): boolean =>
  /^(Arrow)?FunctionExpression$/.test(String((node as Node | null)?.type))
/** `const check = () => …` */
const isFunctionConstant = (node: Node): boolean =>
  node.type === 'VariableDeclarator' && isFunction(node['init'])

interface Helper {
  readonly asserts: boolean
  /** Keys of the functions that it refers to. */
  readonly uses: readonly string[]
}

function nameOf(node: Node | undefined | null): string | undefined {
  const name = node?.['name']
  return typeof name === 'string' ? name : undefined
}

/** Maps each imported name of a file to its key, `path#name`. */
function importsOf({ path, program }: Parsed): Map<string, string> {
  const found = new Map<string, string>()
  for (const statement of program['body'] as Node[]) {
    const from = String((statement['source'] as Node | undefined)?.['value'] ?? '')
    if (statement.type !== 'ImportDeclaration' || !from.startsWith('.')) continue
    for (const specifier of statement['specifiers'] as Node[]) {
      const local = nameOf(specifier['local'] as Node)
      const imported = nameOf(specifier['imported'] as Node) ?? local
      if (local) found.set(local, `${join(dirname(path), from)}#${imported}`)
    }
  }
  return found
}

/** Reads what a piece of code calls: whether it asserts, and which functions it refers to. */
function read(file: Parsed, imports: ReadonlyMap<string, string>, body: Node): Helper {
  let asserts = false
  const uses = new Set<string>()
  eachNode(body, (node, parent) => {
    if (node.type === 'CallExpression') {
      const callee = node['callee'] as Node
      const last =
        callee.type === 'MemberExpression' ? nameOf(callee['property'] as Node) : undefined
      if (asserting.test(nameOf(beginningOf(callee)) ?? '') || last === 'assert') asserts = true
    }
    const isProperty =
      parent.type === 'MemberExpression' && parent['property'] === node && !parent['computed']
    const name = node.type === 'Identifier' && !isProperty ? nameOf(node) : undefined
    if (name) uses.add(imports.get(name) ?? `${file.path}#${name}`)
  })
  return { asserts, uses: [...uses] }
}

/** Lists the named functions of a file by key. */
function helpersOf(file: Parsed): [string, Helper][] {
  const imports = importsOf(file)
  const found: [string, Helper][] = []
  eachNode(file.program, (node) => {
    if (node.type !== 'FunctionDeclaration' && !isFunctionConstant(node)) return
    found.push([`${file.path}#${nameOf(node['id'] as Node)}`, read(file, imports, node)])
  })
  return found
}

/** Lists the keys of the functions that assert, by themselves or through those they call. */
function assertingKeys(files: readonly Parsed[]): Set<string> {
  const helpers = files.flatMap(helpersOf)
  const keys = new Set(helpers.filter(([, { asserts }]) => asserts).map(([key]) => key))
  for (let before = -1; before < keys.size; ) {
    before = keys.size
    for (const [key, { uses }] of helpers) if (uses.some((use) => keys.has(use))) keys.add(key)
  }
  return keys
}

/** Lists the tests among these files without an assertion, as `path:line title`. */
export function testsWithoutAssertion(sources: readonly SourceFile[]): string[] {
  const files = sources.map(parse)
  const keys = assertingKeys(files)
  const found: string[] = []
  for (const file of files.filter(({ path }) => /\.(test|suite)\.tsx?$/.test(path))) {
    const imports = importsOf(file)
    eachNode(file.program, (node) => {
      if (node.type !== 'CallExpression' || !/^(test|it)$/.test(nameOf(beginningOf(node)) ?? ''))
        return
      const [title, ...rest] = node['arguments'] as Node[]
      const body = rest.find((argument) => isFunction(argument) || argument.type === 'Identifier')
      if (
        !title ||
        !body ||
        !(typeof title['value'] === 'string' || title.type === 'TemplateLiteral')
      )
        return
      const { asserts, uses } = read(file, imports, body)
      if (!asserts && !uses.some((use) => keys.has(use)))
        found.push(`${placeOf(file, node)} ${textOf(file, title)}`)
    })
  }
  return found
}
