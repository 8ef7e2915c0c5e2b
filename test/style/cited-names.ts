/** Finds names and files that a comment cites and that are nowhere (HS25). */
import { basename } from 'node:path'
import { isCode, type SourceFile } from './source-files.ts'

/** Comments and literals, in which `//` is no comment. */
const commentOrLiteral =
  /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

interface Comment {
  readonly text: string
  readonly start: number
}

const isComment = (text: string): boolean => text.startsWith('/*') || text.startsWith('//')

const commentsOf = ({ text }: SourceFile): Comment[] =>
  [...text.matchAll(commentOrLiteral)]
    .filter(([found]) => isComment(found))
    .map(({ 0: found, index }) => ({ text: found, start: index }))

const withoutComments = ({ text }: SourceFile): string =>
  text.replace(commentOrLiteral, (found) => (isComment(found) ? '' : found))

/** A name in back quotes: an identifier, a member, a call, a key of the configuration, a file. */
const quotedName = /`([#@$A-Za-z_][\w$#.-]*)(?:\(\))?`/g
const namedFile = /(?<![\w/.`<*-])[\w./-]*[\w-]\.(?:tsx?|mjs|cjs|md|json|css)\b(?!\()/g

/** A use case is cited by its name too: `begin-launch` for `beginLaunch`. */
const inCamelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

export class CitedNames {
  readonly #words: ReadonlySet<string>
  readonly #code: string
  readonly #paths: readonly string[]

  /** `everything` has all files of the repository; what their code says exists. */
  constructor(everything: readonly SourceFile[]) {
    this.#paths = everything.map(({ path }) => path)
    this.#code = everything.filter(isCode).map(withoutComments).join('\n')
    this.#words = new Set(this.#code.match(/[\w$]+/g))
  }

  /** Returns the places at which a comment cites what does not exist, with what it cites. */
  missingIn(source: SourceFile): string[] {
    return commentsOf(source).flatMap(({ text, start }) =>
      [
        ...[...text.matchAll(quotedName)].filter(([, name = '']) => !this.#exists(name)),
        ...[...text.matchAll(namedFile)].filter(([name]) => !this.#isFile(name)),
      ].map(({ 0: cited, index }) => {
        const line = source.text.slice(0, start + index).split('\n').length
        return `${source.path}:${line} ${cited}`
      }),
    )
  }

  #exists(name: string): boolean {
    const parts = name.split(/[.#]/).filter((part) => part !== '')
    if (parts.every((part) => this.#words.has(part))) return true
    return this.#words.has(inCamelCase(name)) || this.#code.includes(name) || this.#isFile(name)
  }

  /** A file of the repository, or one that the code names, such as one in a data folder. */
  #isFile(name: string): boolean {
    const path = name.replace(/^(?:\.{1,2}\/)+/, '')
    return (
      this.#paths.some((each) => each === path || each.endsWith(`/${path}`)) ||
      this.#code.includes(basename(path))
    )
  }
}
