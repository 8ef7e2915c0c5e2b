/**
 * Reads Markdown that agents write. Some texts make a parser repeat itself without end, others make
 * it nest until nothing is left to nest in: what is not read within the bounds is shown as text.
 * Pure; runs on the page and in a worker.
 */
import { Lexer, type Token, type Tokens } from 'marked'

/** Longer texts are shown as they are; nobody reads them, and they must not hold the page up. */
const maxParsed = 200_000
/**
 * Texts within both are read at once: the worst of them that was found (test/web/markdown) takes
 * some hundredths of a second.
 */
const maxParsedAtOnce = 10_000
const maxMarksAtOnce = 300
/** Elements that one text may become. */
const maxTokens = 20_000
/** Lists in lists in quotes; emphasis in emphasis. */
const deepest = 60

/**
 * Whether reading it is sure to be quick. What makes a parser slow is many marks that each look for
 * their partner.
 */
export function isQuick(text: string): boolean {
  if (text.length > maxParsedAtOnce) return false
  let marks = 0
  for (const character of text) if (marksOfMarkdown.has(character)) marks++
  return marks <= maxMarksAtOnce
}

const marksOfMarkdown: ReadonlySet<string> = new Set('*_~`[]<>|!#-+=&@\\\t')

/** undefined: to be shown as text. */
export function parsed(text: string): readonly Token[] | undefined {
  if (text.length > maxParsed) return undefined
  try {
    const tokens: readonly Token[] = Lexer.lex(text, { gfm: true, breaks: true })
    return isBounded(tokens) ? tokens : undefined
  } catch {
    // Nested deeper than the parser's own calls may.
    return undefined
  }
}

/** What has others within it: a token, an item of a list, a cell of a table. */
type Part = Token | Tokens.TableCell

function isBounded(tokens: readonly Token[]): boolean {
  let level: readonly Part[] = tokens
  let left = maxTokens
  for (let depth = 0; level.length > 0; depth++) {
    left -= level.length
    if (left < 0 || depth > deepest) return false
    level = level.flatMap(inside)
  }
  return true
}

function inside(part: Part): readonly Part[] {
  if ('type' in part && part.type === 'list') return (part as Tokens.List).items
  if ('type' in part && part.type === 'table')
    return [...(part as Tokens.Table).header, ...(part as Tokens.Table).rows.flat()]
  return ('tokens' in part ? part.tokens : undefined) ?? []
}
