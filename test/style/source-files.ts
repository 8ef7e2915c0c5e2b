/** The files the style tests look at: what git tracks or would track, with their text. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

export const root = join(import.meta.dirname, '..', '..')

export interface SourceFile {
  /** Below the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

const binary = /\.(png|ico|jpg|webp|woff2|gz)$/

export function pathsOfTheRepository(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)))
}

export const filesOfTheRepository = (): SourceFile[] =>
  pathsOfTheRepository()
    .filter((path) => !binary.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))

export const isCode = ({ path }: SourceFile): boolean => /^(src|web|test|bench|scripts)\/.*\.tsx?$/.test(path)

export const parse = ({ path, text }: SourceFile): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS)

/** As they stand in the text. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  const waiting = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    const children: ts.Node[] = []
    next.forEachChild((child) => {
      children.push(child)
    })
    waiting.push(...children.reverse())
  }
}

/** `path:line`, as editors understand it. */
export const placeOf = (file: ts.SourceFile, node: ts.Node): string =>
  `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`
