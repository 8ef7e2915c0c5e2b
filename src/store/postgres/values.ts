/** Converts values to and from PostgreSQL's text format. */
import type pg from 'pg'
import type { Row } from '../engine.ts'

export type Columns = readonly { readonly name: string; readonly parse: (text: string) => unknown }[]

const asText = (text: string): string => text

/** Booleans become 1 and 0 and numbers become numbers, as with SQLite. All of them stay far below 2^53. */
const parsers = new Map<number, (text: string) => unknown>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
  [1700, Number],
])

export const columnsOf = (fields: readonly pg.FieldDef[]): Columns =>
  fields.map(({ name, dataTypeID }) => ({ name, parse: parsers.get(dataTypeID) ?? asText }))

export function rowOf(columns: Columns, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at]
    const text = fields[at]
    if (column) row[column.name] = text === null || text === undefined ? null : column.parse(text)
  }
  return row
}

export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`
  throw new TypeError(`A statement was given a value that is no text, number or list (${typeof value})`)
}

const elementOf = (value: unknown): string => {
  const text = textOf(value)
  return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}
