/**
 * Parses a search query. Everything between spaces must occur, in any order. Parts without spaces
 * ("src/store.ts", 承認待ち) and quoted text must stand together. An unquoted word also matches as a
 * prefix. There is no other syntax, so no query is invalid. Pure.
 */
import { cutTerm, split, type Token, termsOf } from './terms.ts'

export interface Phrase {
  readonly tokens: readonly Token[]
  /** The last word may be a prefix. */
  readonly open: boolean
}

/** Shorter prefixes would match too many words. */
const minPrefixChars = 3

const parts = /"([^"]*)"?|[^\s"]+/gu

export function parseQuery(text: string): Phrase[] {
  const pieces: Phrase[] = []
  for (const { 0: part, 1: quoted } of text.matchAll(parts)) {
    const tokens = split(quoted ?? part)
    const last = tokens.at(-1)
    if (last) pieces.push({ tokens, open: quoted === undefined && isPrefix(last) })
  }
  return pieces
}

const isPrefix = ({ kind, text }: Token): boolean =>
  kind === 'word' && text.length >= minPrefixChars

/**
 * The terms a text must have, with `*` after prefixes. None for a single character without spaces:
 * such texts are scanned.
 */
export function queryTerms(pieces: readonly Phrase[]): string[] {
  const terms = new Set<string>()
  for (const { tokens, open } of pieces) {
    for (const term of termsOf(open ? tokens.slice(0, -1) : tokens)) terms.add(term)
    const last = tokens.at(-1)
    if (open && last) terms.add(`${cutTerm(last.text)}*`)
  }
  return [...terms]
}
