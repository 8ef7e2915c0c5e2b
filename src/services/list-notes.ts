/** The notes there are, the newest first; of one month, or all (DC3). */
import type { Note } from '../protocol/chapter.ts'
import type { Page, PageQuery } from '../protocol/page.ts'
import { cutDayPage, dayBeforeAll, dayOf } from '../store/queries/day-cursor.ts'
import { notesBefore } from '../store/queries/notes.ts'
import { defineQuery } from '../store/store.ts'

interface AskedNotes extends PageQuery {
  /** `202611`. */
  readonly month?: string | undefined
  readonly state?: Note['state'] | undefined
}

export const listNotes = defineQuery({
  name: 'list-notes',
  run: async (reader, { month, state, limit, cursor }: AskedNotes): Promise<Page<Note>> => {
    const prefix = month === undefined ? '' : `${month.slice(0, 4)}-${month.slice(4)}-`
    const end = prefix === '' ? dayBeforeAll : `${prefix}99`
    const before = dayOf(cursor, end)
    const behind = {
      leastBehind: state === 'pending' ? 1 : 0,
      mostBehind: state === 'written' ? 0 : Number.MAX_SAFE_INTEGER,
    }
    const found = await notesBefore(reader, { from: prefix, before: before < end ? before : end, ...behind, limit: limit + 1 })
    const { items, nextCursor } = cutDayPage(
      found.map((note) => ({ ...note, day: note.date })),
      limit,
    )
    return { items: items.map(({ day: _, ...note }) => note), nextCursor }
  },
})
