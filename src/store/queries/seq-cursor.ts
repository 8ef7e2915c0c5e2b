/**
 * Paging through what is numbered (HT1, CH8): the cursor is the number of the last item seen, opaque to whoever holds it; one
 * that is not ours is refused, never guessed at.
 */
import { because } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Page } from '../../protocol/page.ts'

const form = /^seq([1-9]\d{0,14})$/

/** `first`: where the first page begins. */
export function seqOf(cursor: string | undefined, first: number): number {
  if (cursor === undefined) return first
  const [, seq] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (seq === undefined) throw new Refusal('invalid_request', `cursor: ${because('notACursor')}`, { field: 'cursor' })
  return Number(seq)
}

/** The page out of what was found; `found` holds up to one item more than the page. */
export function cutSeqPage<Item extends { readonly seq: number }>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? Buffer.from(`seq${last.seq}`).toString('base64url') : null }
}
