/** Paging by name (HT1), in the order of names. The cursor is opaque to whoever holds it; one that is not ours is refused. */
import { because } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import type { Page } from '../../protocol/page.ts'

const form = /^name:(.{1,300})$/su

/** The name of the last item seen; '' before the first. */
export function nameAfter(cursor: string | undefined): string {
  if (cursor === undefined) return ''
  const [, name] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (name === undefined || name.includes('\u0000'))
    throw new Refusal('invalid_request', `cursor: ${because('notACursor')}`, { field: 'cursor' })
  return name
}

/** The page out of what was found; `found` holds up to one item more than the page. */
export function cutNamePage<Item extends { readonly name: string }>(found: readonly Item[], limit: number): Page<Item> {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: last && found.length > limit ? Buffer.from(`name:${last.name}`).toString('base64url') : null }
}
