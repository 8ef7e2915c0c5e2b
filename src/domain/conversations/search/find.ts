/**
 * Locates a query in a text, where phrases must stand together, and makes an excerpt around the
 * first match. Pure.
 */

import type { Phrase } from './parse-query.ts'
import { split, type Token } from './terms.ts'

/** A range in UTF-16 units, end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

export interface Excerpt {
  readonly text: string
  /** Ranges within the excerpt. */
  readonly highlights: Range[]
  readonly cutBefore: boolean
  readonly cutAfter: boolean
}

/** Matches of one text. */
const maxRanges = 200
const excerptChars = 240
const charsBefore = 60

/** Ranges of the matches, sorted and without overlaps; undefined when a phrase is missing. */
export function find(text: string, pieces: readonly Phrase[]): Range[] | undefined {
  const tokens = split(text)
  const found: Range[] = []
  for (const piece of pieces) {
    const before = found.length
    for (
      let at = 0;
      at + piece.tokens.length <= tokens.length && found.length - before < maxRanges;
      at++
    ) {
      if (standsAt(tokens, at, piece)) found.push(rangeOf(tokens, at, piece))
    }
    if (found.length === before) return undefined
  }
  return merged(found)
}

function standsAt(tokens: readonly Token[], at: number, { tokens: wanted, open }: Phrase): boolean {
  return wanted.every(({ kind, text }, nth) => {
    const token = tokens[at + nth] as Token
    if (token.kind !== kind) return false
    return open && nth === wanted.length - 1 ? token.text.startsWith(text) : token.text === text
  })
}

const rangeOf = (tokens: readonly Token[], at: number, { tokens: wanted }: Phrase): Range => ({
  start: (tokens[at] as Token).start,
  end: (tokens[at + wanted.length - 1] as Token).end,
})

function merged(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1)
    if (last && range.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else result.push(range)
  }
  return result.slice(0, maxRanges)
}

export function excerptOf(text: string, ranges: readonly Range[]): Excerpt {
  const first = ranges[0]?.start ?? 0
  const start = beginningOfCharacter(
    text,
    text.length <= excerptChars ? 0 : Math.max(0, first - charsBefore),
  )
  const end = beginningOfCharacter(text, Math.min(text.length, start + excerptChars))
  const highlights = ranges
    .filter((range) => range.start < end)
    .map((range) => ({ start: range.start - start, end: Math.min(range.end, end) - start }))
  return {
    text: text.slice(start, end),
    highlights,
    cutBefore: start > 0,
    cutAfter: end < text.length,
  }
}

/** Never inside a surrogate pair. */
const beginningOfCharacter = (text: string, at: number): number => {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
