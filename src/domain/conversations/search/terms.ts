/**
 * Index terms of a text: its words, and each pair of neighbouring characters in scripts without spaces, so that 承認 is found
 * anywhere. A term has only lower-case letters, digits and signs, and no characters with a meaning in a query language. Pure.
 */
import { split, type Token } from './split.ts'

/** Characters of a word in the index; the rest is compared in the text itself. */
const maxTerm = 64
/** Bytes of all terms of a message, including overhead; slightly below PostgreSQL's limit. */
const maxTermBytes = 900_000
const addedBytes = 4

const bytes = (term: string): number => Buffer.byteLength(term) + addedBytes

/** The terms of neighbouring tokens in order, with repetitions. */
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

/** Characters that became several by normalization, such as ㍿, share a position. */
const areNeighbours = (one: Token, next: Token): boolean => one.end === next.start || one.start === next.start

/** Each term of a text once, up to the size limit. */
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
 * Filters as terms, so that the index itself excludes other messages. The first character is a private one that no text contains.
 */
const facetMarks = { conversation: '\ue000', channel: '\ue001', project: '\ue002' } as const

export type Facet = keyof typeof facetMarks

export const facetTerm = (facet: Facet, value: string): string => facetMarks[facet] + Buffer.from(value).toString('hex')
