/** Paging by day (HT1), the newest first. The cursor is opaque to whoever holds it; one that is not ours is refused. */
import { because } from '../../domain/because.ts'
import { type Day, parseDay } from '../../domain/conversation/logical-day.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Page } from '../../protocol/page.ts'

const form = /^day(.{10})$/

/** Behind every day there is or will be. */
export const dayBeforeAll: Day = '9999-99-99'

export function dayOf(cursor: string | undefined, first: Day): Day {
  if (cursor === undefined) return first
  const [, text = ''] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const day = parseDay(text)
  if (day === undefined) throw new Refusal('invalid_request', `cursor: ${because('notACursor')}`, { field: 'cursor' })
  return day
}

/** The page out of what was found; `found` holds at least one item more than the page when there are more. */
export function cutDayPage<Item extends { readonly day: Day }>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? Buffer.from(`day${last.day}`).toString('base64url') : null }
}
