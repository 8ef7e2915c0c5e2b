/**
 * Masks secrets whose values are known (SE7, SR4), unlike mask.ts, which knows their looks: as they
 * are, as JSON writes them, line by line, and in base64. Text that comes in pieces is cut where a
 * secret may have begun.
 */
import { masked } from './mask.ts'

/** Shorter lines of a secret file are words such as `type`. */
const minLineChars = 16
/** Shorter ones would be found where they are not. */
const minBase64Bytes = 6
/**
 * Secrets that are cut off by one another are held back together; more than so many in a row are
 * not.
 */
const mostInARow = 8

export class KnownSecrets {
  /** Longest first, because one may contain another. */
  readonly #texts: readonly string[]

  constructor(values: Iterable<string>) {
    const texts = [...values].flatMap((value) => [
      ...writtenForms(value),
      ...linesOf(value).flatMap(writtenForms),
      ...base64Forms(value),
    ])
    this.#texts = [...new Set(texts)]
      .filter((text) => text !== '')
      .sort((a, b) => b.length - a.length)
  }

  has(text: string): boolean {
    return this.#texts.some((secret) => text.includes(secret))
  }

  mask(text: string): string {
    let clean = text
    for (const secret of this.#texts)
      if (clean.includes(secret)) clean = clean.replaceAll(secret, masked)
    return clean
  }

  /**
   * The characters at the end of the text that may be the beginning of a secret, and before them a
   * secret that shares some of them.
   */
  tailLength(text: string): number {
    let cut = text.length - this.#beginningLength(text)
    for (let n = 0; n < mostInARow; n++) {
      const from = this.#startOfSecretOver(text, cut)
      if (from === undefined) break
      cut = from
    }
    return text.length - cut
  }

  /** Where a secret begins that ends behind the cut. */
  #startOfSecretOver(text: string, cut: number): number | undefined {
    for (const secret of this.#texts) {
      const at = text.indexOf(secret, Math.max(0, cut - secret.length + 1))
      if (at >= 0 && at < cut) return at
    }
    return undefined
  }

  #beginningLength(text: string): number {
    let longest = 0
    for (const secret of this.#texts) {
      const [first = ''] = secret
      const from = Math.max(0, text.length - secret.length + 1)
      for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
        if (!secret.startsWith(text.slice(at))) continue
        longest = Math.max(longest, text.length - at)
        break
      }
    }
    return longest
  }

  /** The characters at the beginning of the text that may be the end of a secret. */
  headLength(text: string): number {
    let longest = 0
    for (const secret of this.#texts)
      for (let from = 1; from < secret.length && secret.length - from > longest; from++)
        if (text.startsWith(secret.slice(from))) longest = secret.length - from
    return longest
  }

  /** Copies plain data with every string masked. */
  maskDeep<Value>(value: Value, also: (text: string) => string = (text) => text): Value {
    if (typeof value === 'string') return also(this.mask(value)) as Value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((each) => this.maskDeep(each, also)) as Value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.maskDeep(each, also)]),
    ) as Value
  }
}

const linesOf = (value: string): string[] =>
  value
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length >= minLineChars)

const writtenForms = (text: string): string[] => [text, JSON.stringify(text).slice(1, -1)]

/**
 * What a value is in base64, behind so many bytes that it begins at each of the three places: the
 * letters that stand for it alone.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value.trim())
  if (bytes.length < minBase64Bytes) return []
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = text.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    )
    return [own, own.replaceAll('/', '\\/'), own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
