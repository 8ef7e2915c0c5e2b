/** Reads single values from records that may hold anything; another type counts as missing. */

import { type Instant, instant } from '../domain/instant.ts'
import { type Fields, fieldsOf } from '../platform/json.ts'
import { maskKeys } from '../platform/log/mask.ts'
import { maxTitleChars } from './limits.ts'

export const wordsOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const fieldsIn = (value: unknown): readonly Fields[] => listOf(value).map(fieldsOf)

/** The value at a path of fields. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at: unknown = value
  for (const name of path) at = fieldsOf(at)[name]
  return at
}

export const textAt = (value: unknown, ...path: readonly string[]): string | null =>
  wordsOf(valueAt(value, ...path))

/** A time as text or as a number of milliseconds; null for anything else. */
export function timeOf(value: unknown): Instant | null {
  const ms = typeof value === 'string' ? Date.parse(value) : value
  if (typeof ms !== 'number') return null
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15 ? instant(ms) : null
}

/** The first of some values that is a time; the beginning of time where none is. */
export const firstTime = (...values: readonly unknown[]): Instant =>
  values.map(timeOf).find((time) => time !== null) ?? instant(0)

/** What of a text is looked through for keys before it becomes a title. */
const maxMaskedChars = 20_000

/** One line of at most 200 characters. */
export const titleOf = (text: string): string =>
  maskKeys(text.slice(0, maxMaskedChars))
    .slice(0, 4 * maxTitleChars)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, maxTitleChars)

/** The texts of a message: a text, or a list of parts of which some are texts. */
export function textsOf(content: unknown): string {
  if (typeof content === 'string') return content
  return fieldsIn(content)
    .map((part) => wordsOf(part['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n')
}

export function jsonOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}
