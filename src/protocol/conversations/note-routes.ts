/** The days of conversations and the notes made of them (DC). The key of a conversation is URL-encoded in the path. */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { YesOrNo } from '../text.ts'
import { Chapter, Note } from './chapter.ts'
import { Cutover, CutoverChange } from './cutover.ts'
import { Message } from './message.ts'

const Month = z.string().regex(/^\d{4}(0[1-9]|1[0-2])$/, 'a month is YYYYMM')

export const noteRoutes = {
  listChapters: route('GET /api/conversations/{key}/chapters', 'read', listOf(Chapter))`
    The days of a conversation, the newest first; the first may still be open`,
  listChapterMessages: route('GET /api/conversations/{key}/chapters/{day}/messages', 'read', {
    ...listOf(Message, { hidden: YesOrNo }),
  })`
    What was said on a day of a conversation, oldest first; a day is YYYY-MM-DD or YYYYMMDD`,
  cutOverConversation: route('POST /api/conversations/{key}/cutover', 'write', {
    body: z.strictObject({ now: z.iso.datetime({ offset: true }).optional() }).optional(),
    answer: z.object({
      cut: z.boolean(),
      date: z.iso.date().nullable(),
      notePath: z.string().nullable(),
    }),
  })`
    Close the day of a conversation if it is over, now or at the moment \`now\`, and write its note`,
  getCutover: route('GET /api/cutover', 'read', {
    answer: Cutover,
  })`When a new day of conversation begins, and who says so`,
  setCutover: route('PUT /api/cutover', 'manage', { body: CutoverChange, answer: Cutover })`
    Say when a new day of conversation begins, or switch days off; chapters that are open keep their end`,
  listNotes: route(
    'GET /api/notes',
    'read',
    listOf(Note, { month: Month.optional(), state: Note.shape.state.optional() }),
  )`
    The notes of days, the newest first; of one month (YYYYMM) or all, written, pending or both`,
  getNote: route('GET /api/notes/{day}', 'read', {
    query: z.object({ timezone: CutoverChange.shape.timezone }),
    media: 'text/markdown; charset=utf-8',
  })`
    The note of a day as Markdown; a day is YYYYMMDD or YYYY-MM-DD. Times are in \`timezone\`, or in that of the days`,
}
