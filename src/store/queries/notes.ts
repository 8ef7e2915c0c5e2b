/** The notes of days (DC3, DC4): which chapters they are made of, and whether their files are written. Behind the lock of the note's stream. */
import type { Day } from '../../domain/conversation/logical-day.ts'
import type { Note } from '../../protocol/chapter.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'

export type NoteRow = Tables['notes']

/** Days with chapters that their note does not know of, the oldest first. */
export const selectDaysToNote = statement<{ limit: number }>()((db, p) =>
  db.selectFrom('chapters').select('day').distinct().where('note_seq', 'is', null).orderBy('day').limit(p.limit),
)

const fewOf = (day: Day, limit: number) => (db: Parameters<Parameters<ReturnType<typeof statement>>[0]>[0]) =>
  db
    .selectFrom('chapters as few')
    .select('few.conversation_key')
    .where('few.day', '=', day)
    .where('few.note_seq', 'is', null)
    .orderBy('few.conversation_key')
    .limit(limit)

export const selectNotNoted = statement<{ day: Day; limit: number }>()((db, p) => fewOf(p.day, p.limit)(db))

interface Few {
  readonly day: Day
  readonly limit: number
}

export const deleteRemovedChapters = statement<Few>()((db, p) =>
  db
    .deleteFrom('chapters')
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 1)
    .where('conversation_key', 'in', fewOf(p.day, p.limit)(db)),
)

export const numberChapters = statement<Few & { seq: number }>()((db, p) =>
  db
    .updateTable('chapters')
    .set({ note_seq: p.seq })
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 0)
    .where('conversation_key', 'in', fewOf(p.day, p.limit)(db)),
)

const selectTotals = statement<{ day: Day }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select((eb) => [eb.fn.countAll<number>().as('conversations'), eb.fn.sum<number | null>('message_count').as('messages')])
    .where('day', '=', p.day)
    .where('removed', '=', 0),
)

export async function totalsOf(reader: Reader, day: Day): Promise<{ conversations: number; messages: number }> {
  const found = await reader.first(selectTotals, { day })
  return { conversations: Number(found?.conversations ?? 0), messages: Number(found?.messages ?? 0) }
}

export const putNote = statement<NoteRow>()((db, p) => {
  const rest = {
    conversations: p.conversations,
    messages: p.messages,
    seq: p.seq,
    written_seq: p.written_seq,
    problem: p.problem,
    updated_at: p.updated_at,
  }
  return db
    .insertInto('notes')
    .values({ day: p.day, ...rest })
    .onConflict((conflict) => conflict.column('day').doUpdateSet(rest))
})

export const selectNote = statement<{ day: Day }>()((db, p) => db.selectFrom('notes').selectAll().where('day', '=', p.day))

export interface NotesPage {
  readonly from: Day
  readonly before: Day
  readonly limit: number
  /** How far behind their files are, in events: 0 for all that are written or more, 1 for those that are not. */
  readonly leastBehind: number
  readonly mostBehind: number
}

const selectNotesBefore = statement<NotesPage>()((db, p) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('day', '>=', p.from)
    .where('day', '<', p.before)
    .where('conversations', '>', 0)
    .where((eb) => eb.between(eb('seq', '-', eb.ref('written_seq')), p.leastBehind, p.mostBehind))
    .orderBy('day', 'desc')
    .limit(p.limit),
)

/** The newest first. */
export const notesBefore = async (reader: Reader, page: NotesPage): Promise<Note[]> =>
  (await reader.all(selectNotesBefore, page)).map(noteOf)

export const noteOf = (row: NoteRow): Note => ({
  date: row.day,
  conversations: row.conversations,
  messages: row.messages,
  state: row.written_seq >= row.seq ? 'written' : 'pending',
  problem: row.problem,
  updatedAt: row.updated_at,
})
