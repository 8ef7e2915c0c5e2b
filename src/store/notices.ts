/** Notices in rows: JSON in a column beside that of the words. Rows of before have none. */
import { type Detail, detailFrom, type Notice, type Notices, noticeOf } from '../domain/notices.ts'

export const noticeColumn = (detail: Detail | null): string | null => {
  const notice = noticeOf(detail)
  return notice && JSON.stringify(notice)
}

export const noticeFrom = (column: string | null): Notice | null => (column === null ? null : JSON.parse(column))

export const detailIn = (text: string | null, column: string | null): Detail | null => detailFrom(text, noticeFrom(column))

/** The column of a row with several texts. Notices of fields that are not named stay. */
export function noticesColumn(column: string | null, changed: Readonly<Record<string, Detail | null>>): string | null {
  const kept = Object.entries(noticesFrom(column)).filter(([field]) => !(field in changed))
  const fresh = Object.entries(changed).flatMap(([field, detail]) => (noticeOf(detail) ? [[field, noticeOf(detail)]] : []))
  const all = [...kept, ...fresh]
  return all.length === 0 ? null : JSON.stringify(Object.fromEntries(all))
}

export const noticesFrom = (column: string | null): Notices => (column === null ? {} : JSON.parse(column))
