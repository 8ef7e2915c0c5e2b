/**
 * Takes a text apart into what can be searched for: words, single characters of scripts that are written without spaces
 * (Japanese, Chinese, Korean, Thai …), and signs such as emoji. The one place that decides how text and query are folded: width
 * and compatibility forms (NFKC), case, and the accents of Latin, Greek and Cyrillic letters; a kana keeps its voicing marks,
 * since は, ば and ぱ are three letters. Pure.
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
/** Kana, ideographs and syllables that need no normalization. Most are these, and each is a token. */
const settled = `[\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc\\u4e00-\\u9fff\\uac00-\\ud7a3](?![${marks}])`
/** Runs of searchable characters; everything else separates. Symbols are included, because ㍿ is a word and 🚀 a sign. */
const runs = new RegExp(`(?<settled>(?:${settled})+)|(?:(?!${settled})[\\p{L}\\p{N}\\p{So}${marks}])+`, 'gu')
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
        tokens.push({ kind: 'character', text: run.charAt(at), start: index + at, end: index + at + 1 })
      continue
    }
    const lower = run.toLowerCase()
    if (plain.test(lower)) tokens.push({ kind: 'word', text: lower, start: index, end: index + run.length })
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
