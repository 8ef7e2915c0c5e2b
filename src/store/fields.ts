/** How rows become records and records rows: the names of columns and fields, JSON, and notices. */
import { type Detail, detailFrom, type Notice, type Notices, noticeOf } from '../domain/notices.ts'

/** `project_id` becomes `projectId`. */
type Field<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Field<Rest>>}`
  : Column

const namesByColumn = new Map<string, string>()

function fieldOf(column: string): string {
  const field =
    namesByColumn.get(column) ??
    column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  namesByColumn.set(column, field)
  return field
}

/**
 * These columns of a row as fields. Named one by one: a column that is added later must not reach
 * readers by itself.
 */
export const fields = <Row, Column extends keyof Row & string>(
  row: Row,
  ...columns: readonly Column[]
): { [Name in Column as Field<Name>]: Row[Name] } =>
  Object.fromEntries(columns.map((column) => [fieldOf(column), row[column]])) as never

/** The fields of a record as these columns. */
export const columns = <
  const Column extends string,
  Value extends { readonly [Name in Column as Field<Name>]: unknown },
>(
  record: Value,
  ...names: readonly Column[]
): { [Name in Column]: Value[Field<Name> & keyof Value] } =>
  Object.fromEntries(names.map((name) => [name, record[fieldOf(name) as keyof Value]])) as never

export const jsonOf = (value: unknown): string | null =>
  value === null ? null : JSON.stringify(value)

// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse
export const jsonIn = (column: string | null): any => (column === null ? null : JSON.parse(column))

// Notices: JSON in a column beside that of the words. Rows of before have none.

export const noticeColumn = (detail: Detail | null): string | null => jsonOf(noticeOf(detail))

export const noticeFrom = (column: string | null): Notice | null => jsonIn(column)

export const detailIn = (text: string | null, column: string | null): Detail | null =>
  detailFrom(text, noticeFrom(column))

/** The column of a row with several texts. Notices of fields that are not named stay. */
export function noticesColumn(
  column: string | null,
  changed: Readonly<Record<string, Detail | null>>,
): string | null {
  const unchanged = Object.entries(noticesFrom(column)).filter(([field]) => !(field in changed))
  const fresh = Object.entries(changed).flatMap(([field, detail]) =>
    noticeOf(detail) ? [[field, noticeOf(detail)]] : [],
  )
  const all = [...unchanged, ...fresh]
  return all.length === 0 ? null : JSON.stringify(Object.fromEntries(all))
}

export const noticesFrom = (column: string | null): Notices =>
  column === null ? {} : JSON.parse(column)
