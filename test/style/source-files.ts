/** The files that the style tests check: what git tracks or would track, with their text. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export const root = join(import.meta.dirname, '..', '..')

export interface SourceFile {
  /** Below the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

const binary = /\.(png|ico|jpg|webp|woff2|gz)$/

export function pathsOfTheRepository(): string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

export const filesOfTheRepository = (): SourceFile[] =>
  pathsOfTheRepository()
    .filter((path) => !binary.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

export const isCode = ({ path }: SourceFile): boolean =>
  /^(src|web|test|bench|scripts)\/.*\.tsx?$/.test(path)

/** A node of a syntax tree, as every tool for JavaScript names it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

export interface Parsed extends SourceFile {
  readonly program: Node
}

export const parse = ({ path, text }: SourceFile): Parsed => ({
  path,
  text,
  program: parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node,
})

/** Visits each node with its parent, in the order of the text. */
export function eachNode(
  node: Node,
  visit: (node: Node, parent: Node) => void,
  parent = node,
): void {
  visit(node, parent)
  for (const part in node) eachPart(node[part], visit, node)
}

function eachPart(part: unknown, visit: (node: Node, parent: Node) => void, parent: Node): void {
  if (typeof part !== 'object' || part === null) return
  if (Array.isArray(part)) for (const each of part) eachPart(each, visit, parent)
  else if ('type' in part) eachNode(part as Node, visit, parent)
}

/** `a.b`, not `a[b]`. */
export const isNamedMember = (node: Node): boolean =>
  node.type === 'MemberExpression' && node['computed'] === false

/** Where a chain of members and calls begins: the `test` of `test.each([1])`. */
export function beginningOf(node: Node): Node {
  let first = node
  while (
    isNamedMember(first) ||
    first.type === 'CallExpression' ||
    first.type === 'TaggedTemplateExpression'
  )
    first = (first['object'] ?? first['callee'] ?? first['tag']) as Node
  return first
}

export const textOf = ({ text }: SourceFile, { start, end }: Node): string => text.slice(start, end)

/** `path:line`, as editors understand it. */
export const placeOf = ({ path, text }: SourceFile, { start }: Node): string =>
  `${path}:${text.slice(0, start).split('\n').length}`
