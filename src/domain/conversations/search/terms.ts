/**
 * What is kept of a text in the index: its words, and each two neighbouring characters of scripts without spaces, so that 承認 is
 * found wherever it stands. A term holds letters, digits and signs only, in lower case: never anything that an engine's query
 * language means something by. Pure.
 */
import { split, type Token } from './split.ts'

/** Of a word so much is told apart by the index; the rest is compared in the text itself. */
const maxTerm = 64
/** Of the terms of one message together, each with what an engine adds; PostgreSQL takes a little more than this. */
const maxTermBytes = 900_000
const addedBytes = 4

const bytes = (term: string): number => Buffer.byteLength(term) + addedBytes

/** The terms of neighbouring tokens, in order, also repeated ones. */
export function* termsOf(tokens: readonly Token[]): Generator<string> {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.kind !== 'character') yield cutTerm(token.text)
    else {
      const next = tokens[at + 1]
      if (next && next.kind === 'character' && areNeighbours(token, next)) yield token.text + next.text
    }
  }
}

export const cutTerm = (word: string): string => word.slice(0, maxTerm).toWellFormed()

/** One that became several when it was folded, such as ㍿, stands in one place. */
const areNeighbours = (one: Token, next: Token): boolean => one.end === next.start || one.start === next.start

/** Each term of a text once. One that has more than an engine takes is kept as far as that goes. */
export function indexTerms(text: string): Set<string> {
  const terms = new Set<string>()
  let sum = 0
  for (const term of termsOf(split(text))) {
    if (terms.has(term)) continue
    sum += bytes(term)
    if (sum > maxTermBytes) break
    terms.add(term)
  }
  return terms
}

/**
 * What a search can be narrowed to, as terms beside those of the text: so the index itself leaves out the rest, however much
 * there is. The first character belongs to no script, so that no text has such a term.
 */
const facetMarks = { conversation: '\ue000', channel: '\ue001', project: '\ue002' } as const

export type Facet = keyof typeof facetMarks

export const facetTerm = (facet: Facet, value: string): string => facetMarks[facet] + Buffer.from(value).toString('hex')
