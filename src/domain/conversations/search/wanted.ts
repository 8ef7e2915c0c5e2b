/**
 * What somebody looks for, out of what they typed. Everything between spaces must be there, in any order; what belongs together
 * ("src/store.ts", "don't", 承認待ち, or anything in double quotes) must stand together. A word counts as the beginning of
 * one, unless it is quoted. There is no other syntax, so nothing that is typed is an error of syntax. Pure.
 */
import { split, type Token } from './split.ts'
import { cutTerm, termsOf } from './terms.ts'

export interface Piece {
  readonly tokens: readonly Token[]
  /** The last word may go on. */
  readonly open: boolean
}

/** Shorter ones would be the beginning of half of all words. */
const shortestBeginning = 3

const parts = /"([^"]*)"?|[^\s"]+/gu

export function parseWanted(text: string): Piece[] {
  const pieces: Piece[] = []
  for (const { 0: part, 1: quoted } of text.matchAll(parts)) {
    const tokens = split(quoted ?? part)
    const last = tokens.at(-1)
    if (last) pieces.push({ tokens, open: quoted === undefined && isBeginning(last) })
  }
  return pieces
}

const isBeginning = ({ kind, text }: Token): boolean => kind === 'word' && text.length >= shortestBeginning

/**
 * The terms that a text must have to be looked at, with a star behind those that may go on. None for a single character of a
 * script without spaces: it is in too many texts, so these are looked through one after the other.
 */
export function wantedTerms(pieces: readonly Piece[]): string[] {
  const terms = new Set<string>()
  for (const { tokens, open } of pieces) {
    for (const term of termsOf(open ? tokens.slice(0, -1) : tokens)) terms.add(term)
    const last = tokens.at(-1)
    if (open && last) terms.add(`${cutTerm(last.text)}*`)
  }
  return [...terms]
}
