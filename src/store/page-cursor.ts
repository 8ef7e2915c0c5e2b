/** Cursors of lists: what a client sends back to get the next page. */
import { refusalText } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import type { Approval } from '../protocol/approvals/approval.ts'
import type { Page, PageQuery } from '../protocol/page.ts'

// Paging by key (HT1): newest first, by (created_at, id), so that a page costs the same however far down it is and nothing is
// skipped or repeated when things are added meanwhile. The cursor is opaque to whoever holds it; one that is not ours is
// refused, never guessed at.

/** The key of the last item seen; the next page holds what is older. */
export interface PageKey {
  readonly createdAt: Instant
  readonly id: string
}

/** What a page's statement takes: one row more than asked for tells whether there is another page. */
export interface PageParams extends PageKey {
  readonly limit: number
}

/** Before everything: newer than any row can be. */
export const newest: PageKey = { createdAt: '9999-12-31T23:59:59.999Z', id: '~' }

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const maxIdLength = 300

export const pageParams = ({ limit, cursor }: PageQuery): PageParams => ({
  ...(cursor === undefined ? newest : decode(cursor)),
  limit: limit + 1,
})

/** The page out of what the statement found; `found` holds up to one item more than the page. */
export const cutPage = <Item extends PageKey>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => PageKey = (item) => item,
): Page<Item> => cutPageBy(found, limit, keyOf)

/** For lists in another order than that of creation. */
export function cutPageBy<Item>(found: readonly Item[], limit: number, keyOf: (item: Item) => PageKey): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? encode(keyOf(last)) : null }
}

const encode = ({ createdAt, id }: PageKey): string => Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')

function decode(cursor: string): PageKey {
  const parts = parse(Buffer.from(cursor, 'base64url').toString())
  const [createdAt, id] = Array.isArray(parts) && parts.length === 2 ? parts : []
  const ours = typeof createdAt === 'string' && instantForm.test(createdAt) && typeof id === 'string' && id.length <= maxIdLength
  if (!ours) throw new Refusal('invalid_request', `cursor: ${refusalText('notACursor')}`, { field: 'cursor' })
  return { createdAt, id }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Paging by name (HT1), in the order of names. The cursor is opaque to whoever holds it; one that is not ours is refused.

const nameForm = /^name:(.{1,300})$/su

/** The name of the last item seen; '' before the first. */
export function nameAfter(cursor: string | undefined): string {
  if (cursor === undefined) return ''
  const [, name] = nameForm.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (name === undefined || name.includes('\u0000'))
    throw new Refusal('invalid_request', `cursor: ${refusalText('notACursor')}`, { field: 'cursor' })
  return name
}

/** The page out of what was found; `found` holds up to one item more than the page. */
export function cutNamePage<Item extends { readonly name: string }>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? Buffer.from(`name:${last.name}`).toString('base64url') : null }
}

// Paging through what is numbered (HT1, CH8): the cursor is the number of the last item seen, opaque to whoever holds it; one
// that is not ours is refused, never guessed at.

const seqForm = /^seq([1-9]\d{0,14})$/

/** `first`: where the first page begins. */
export function seqOf(cursor: string | undefined, first: number): number {
  if (cursor === undefined) return first
  const [, seq] = seqForm.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (seq === undefined) throw new Refusal('invalid_request', `cursor: ${refusalText('notACursor')}`, { field: 'cursor' })
  return Number(seq)
}

/** The page out of what was found; `found` holds up to one item more than the page. */
export function cutSeqPage<Item extends { readonly seq: number }>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? Buffer.from(`seq${last.seq}`).toString('base64url') : null }
}

// Paging through approvals: their ids are numbers, and the inbox is ordered by when each was submitted last (HT1).

interface ApprovalKey {
  readonly submittedAt: Instant
  readonly id: number
}

const beforeAll: ApprovalKey = { submittedAt: '', id: 0 }
const numberForm = /^\d{1,15}$/

/** The last approval seen; before the first page, one that none comes before. */
export function approvalKeyOf(page: PageQuery): ApprovalKey {
  if (page.cursor === undefined) return beforeAll
  const { createdAt, id } = pageParams(page)
  if (!numberForm.test(id)) throw new Refusal('invalid_request', `cursor: ${refusalText('notACursor')}`, { field: 'cursor' })
  return { submittedAt: createdAt, id: Number(id) }
}

export const cutApprovalsPage = (found: readonly Approval[], limit: number): Page<Approval> =>
  cutPageBy(found, limit, ({ submittedAt, id }) => ({ createdAt: submittedAt, id: String(id) }))
