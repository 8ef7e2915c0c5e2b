/** Cursors of lists: what a client sends back to get the next page. */

import { type Day, parseDay } from '../domain/conversations/chapter.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { inField } from '../domain/notices.ts'
import { refusalText } from '../domain/refusal-texts.ts'
import { parseStream, type StreamName } from '../domain/stream-name.ts'
import type { Approval } from '../protocol/approvals/approval.ts'
import type { Page, PageQuery } from '../protocol/page.ts'

// Paging by key (HT1): newest first by (created_at, id). Each page costs the same, and items added
// meanwhile cause no gaps or repeats. Cursors are opaque; an invalid one is refused.

/** The key of the last item seen; the next page holds what is older. */
export interface PageKey {
  readonly createdAt: Instant
  readonly id: string
}

/**
 * The parameters of a page's statement: one row more than requested shows whether there is another
 * page.
 */
export interface PageParams extends PageKey {
  readonly limit: number
}

/** The key before the first page: newer than any row. */
export const newest: PageKey = { createdAt: '9999-12-31T23:59:59.999Z', id: '~' }

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const maxIdLength = 300

export const pageParams = ({ limit, cursor }: PageQuery): PageParams => ({
  ...(cursor === undefined ? newest : decode(cursor)),
  limit: limit + 1,
})

/**
 * Cuts the page from what was found, which may be one more than the page holds. `cursorAt`: the
 * text of the cursor after an item.
 */
function cut<Item>(
  found: readonly Item[],
  limit: number,
  cursorAt: (last: Item) => string,
): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return {
    items,
    nextCursor:
      last && found.length > limit ? Buffer.from(cursorAt(last)).toString('base64url') : null,
  }
}

const textIn = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()

/** What the form finds in a cursor. */
export function partIn(cursor: string, form: RegExp): string {
  const part = form.exec(textIn(cursor))?.[1]
  if (part === undefined) throw notACursor()
  return part
}

export const notACursor = (): Refusal =>
  new Refusal('invalid_request', inField('cursor', refusalText('notACursor')), { field: 'cursor' })

export const cutPage = <Item extends PageKey>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => PageKey = (item) => item,
): Page<Item> => cutPageBy(found, limit, keyOf)

/** The same for lists that are not ordered by creation. */
export const cutPageBy = <Item>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => PageKey,
): Page<Item> =>
  cut(found, limit, (last) => JSON.stringify([keyOf(last).createdAt, keyOf(last).id]))

function decode(cursor: string): PageKey {
  const parts = parse(textIn(cursor))
  const [createdAt, id] = Array.isArray(parts) && parts.length === 2 ? parts : []
  const ours =
    typeof createdAt === 'string' &&
    instantForm.test(createdAt) &&
    typeof id === 'string' &&
    id.length <= maxIdLength
  if (!ours) throw notACursor()
  return { createdAt, id }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Paging by name (HT1).

/** The name of the last item seen; empty before the first page. */
export function nameAfter(cursor: string | undefined): string {
  const name = cursor === undefined ? '' : partIn(cursor, /^name:(.{1,300})$/su)
  if (name.includes('\u0000')) throw notACursor()
  return name
}

export const cutNamePage = <Item extends { readonly name: string }>(
  found: readonly Item[],
  limit: number,
): Page<Item> => cut(found, limit, ({ name }) => `name:${name}`)

// Paging by number (HT1, CH8): the cursor is the number of the last item seen.

/** Reads the number in a cursor; `first` without one. */
export const seqOf = (cursor: string | undefined, first: number): number =>
  cursor === undefined ? first : Number(partIn(cursor, /^seq([1-9]\d{0,14})$/))

export const cutSeqPage = <Item extends { readonly seq: number }>(
  found: readonly Item[],
  limit: number,
): Page<Item> => cut(found, limit, ({ seq }) => `seq${seq}`)

// Paging by day (HT1), newest first.

export function dayOf(cursor: string | undefined, first: Day): Day {
  if (cursor === undefined) return first
  const day = parseDay(partIn(cursor, /^day(.{10})$/))
  if (day === undefined) throw notACursor()
  return day
}

export const cutDayPage = <Item extends { readonly day: Day }>(
  found: readonly Item[],
  limit: number,
): Page<Item> => cut(found, limit, ({ day }) => `day${day}`)

// Paging through approvals (HT1): ids are numbers, and the inbox is ordered by last submission.

const numberForm = /^\d{1,15}$/

/** The last approval seen; before the first page, a key before all others. */
export function approvalKeyOf(page: PageQuery): {
  readonly submittedAt: Instant
  readonly id: number
} {
  if (page.cursor === undefined) return { submittedAt: '', id: 0 }
  const { createdAt, id } = pageParams(page)
  if (!numberForm.test(id)) throw notACursor()
  return { submittedAt: createdAt, id: Number(id) }
}

export const cutApprovalsPage = (found: readonly Approval[], limit: number): Page<Approval> =>
  cutPageBy(found, limit, ({ submittedAt, id }) => ({ createdAt: submittedAt, id: String(id) }))

/**
 * The position of a reader: the store's incarnation and the last number seen of each stream, opaque
 * to clients. A cursor that cannot be parsed or is of another incarnation is unknown; its holder
 * gets a snapshot.
 */
export type Heads = ReadonlyMap<StreamName, number>

export const encodeCursor = (incarnation: string, heads: Heads): string =>
  Buffer.from(JSON.stringify([incarnation, ...[...heads].flat()])).toString('base64url')

export function decodeCursor(text: string): { incarnation: string; heads: Heads } | undefined {
  const parts = parse(textIn(text))
  if (!Array.isArray(parts) || typeof parts[0] !== 'string' || parts.length % 2 !== 1)
    return undefined
  const heads = new Map<StreamName, number>()
  for (let index = 1; index < parts.length; index += 2) {
    const [name, head] = [parts[index], parts[index + 1]]
    if (typeof name !== 'string' || !parseStream(name) || !Number.isSafeInteger(head) || head < 0)
      return undefined
    heads.set(name as StreamName, head)
  }
  return { incarnation: parts[0], heads }
}
