/** Reads single values from untrusted agent messages. Values of another type count as missing, and long ones are cut. Pure. */
import { maxListed, maxShownLine } from '../../protocol/turns/agent-update.ts'

export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, maxListed).map(fieldsOf) : [])

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** One line without control characters. */
export const lineOf = (value: unknown): string | undefined =>
  textOf(value)
    ?.slice(0, maxShownLine)
    .replaceAll(/\p{Cc}+/gu, ' ')

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const wholeOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined)

export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

/** Undefined for values without a JSON form or nested too deep. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}
