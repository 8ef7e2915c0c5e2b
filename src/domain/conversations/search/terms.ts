/**
 * Takes a text apart into what can be searched for: words, single characters of scripts that are
 * written without spaces (Japanese, Chinese, Korean, Thai …), and signs such as emoji. The one
 * place that decides how text and query are folded: width and compatibility forms (NFKC), case, and
 * the accents of Latin, Greek and Cyrillic letters; a kana keeps its voicing marks, since は, ば and
 * ぱ are three letters. Pure.
 */

export interface Token {
  readonly kind: 'word' | 'character' | 'sign'
  /** Normalized; used for comparison. */
  readonly text: string
  /** Position in the original, in UTF-16 units. */
  readonly start: number
  readonly end: number
}

const marks = '\\p{M}\\uff9e\\uff9f'
/**
 * Kana, ideographs and syllables that need no normalization. Most are these, and each is a token.
 */
const settled = `[\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc\\u4e00-\\u9fff\\uac00-\\ud7a3](?![${marks}])`
/**
 * Runs of searchable characters; everything else separates. Symbols are included, because ㍿ is a
 * word and 🚀 a sign.
 */
const runs = new RegExp(
  `(?<settled>(?:${settled})+)|(?:(?!${settled})[\\p{L}\\p{N}\\p{So}${marks}])+`,
  'gu',
)
/** A character with its combining marks. Jamo stay together, because they form a syllable. */
const clusters = /[\u1100-\u11ff]+|.[\p{M}\uff9e\uff9f]*/gsu
const plain = /^[a-z0-9]+$/
const accents = /[\u0300-\u036f\ufe00-\ufe0f]/g

const unspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u
const letter = /^[\p{L}\p{N}\p{M}]$/u
const sign = /^[\p{Extended_Pictographic}\p{RI}]$/u

const fold = (cluster: string): string =>
  cluster.normalize('NFKC').toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC')

export function split(text: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: run, index, groups } of text.matchAll(runs)) {
    if (groups?.['settled'] !== undefined) {
      for (let at = 0; at < run.length; at++)
        tokens.push({
          kind: 'character',
          text: run.charAt(at),
          start: index + at,
          end: index + at + 1,
        })
      continue
    }
    const lower = run.toLowerCase()
    if (plain.test(lower))
      tokens.push({ kind: 'word', text: lower, start: index, end: index + run.length })
    else splitRun(run, index, tokens)
  }
  return tokens
}

function splitRun(run: string, offset: number, tokens: Token[]): void {
  let word: { text: string; start: number; end: number } | undefined
  const endWord = (): void => {
    if (word) tokens.push({ kind: 'word', ...word })
    word = undefined
  }
  for (const { 0: cluster, index } of run.matchAll(clusters)) {
    const start = offset + index
    const end = start + cluster.length
    for (const each of fold(cluster)) {
      if (letter.test(each) && !unspaced.test(each)) {
        word = word ? { ...word, text: word.text + each, end } : { text: each, start, end }
        continue
      }
      endWord()
      if (sign.test(each)) tokens.push({ kind: 'sign', text: each, start, end })
      else if (letter.test(each)) tokens.push({ kind: 'character', text: each, start, end })
    }
  }
  endWord()
}

// Index terms of a text: its words, and each pair of neighbouring characters in scripts without
// spaces, so that 承認 is found anywhere. A term has only lower-case letters, digits and signs, and
// no characters with a meaning in a query language.

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
      if (next && next.kind === 'character' && areNeighbours(token, next))
        yield token.text + next.text
    }
  }
}

export const cutTerm = (word: string): string => word.slice(0, maxTerm).toWellFormed()

/** Characters that became several by normalization, such as ㍿, share a position. */
const areNeighbours = (one: Token, next: Token): boolean =>
  one.end === next.start || one.start === next.start

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
 * Filters as terms, so that the index itself excludes other messages. No text contains their first
 * character.
 */
const facetMarks = { conversation: '\ue000', channel: '\ue001', project: '\ue002' } as const

export type Facet = keyof typeof facetMarks

export const facetTerm = (facet: Facet, value: string): string =>
  facetMarks[facet] + Buffer.from(value).toString('hex')
