/**
 * The days of conversations and the notes made of them (DC). The key of a conversation is
 * URL-encoded in the path.
 */
import * as z from 'zod'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { YesOrNo } from '../text.ts'
import { Chapter, Note } from './chapter.ts'
import { Cutover, CutoverChange } from './cutover.ts'
import { Message } from './message.ts'

const Month = z.string().regex(/^\d{4}(0[1-9]|1[0-2])$/, 'a month is YYYYMM')

export const noteRoutes = {
  listChapters: route({
    method: 'GET',
    path: '/api/conversations/{key}/chapters',
    summary: 'The days of a conversation, the newest first; the first may still be open',
    ...listOf(Chapter),
  }),
  listChapterMessages: route({
    method: 'GET',
    path: '/api/conversations/{key}/chapters/{day}/messages',
    summary:
      'What was said on a day of a conversation, oldest first; a day is YYYY-MM-DD or ' +
      'YYYYMMDD',
    ...listOf(Message, { hidden: YesOrNo }),
  }),
  cutOverConversation: route({
    method: 'POST',
    path: '/api/conversations/{key}/cutover',
    summary:
      'Close the day of a conversation if it is over, now or at the moment `now`, and write ' +
      'its note',
    body: z.strictObject({ now: z.iso.datetime({ offset: true }).optional() }).optional(),
    answer: z.object({
      cut: z.boolean(),
      date: z.iso.date().nullable(),
      notePath: z.string().nullable(),
    }),
  }),
  getCutover: route({
    method: 'GET',
    path: '/api/cutover',
    summary: 'When a new day of conversation begins, and who says so',
    answer: Cutover,
  }),
  setCutover: route({
    method: 'PUT',
    path: '/api/cutover',
    summary:
      'Say when a new day of conversation begins, or switch days off; chapters that are ' +
      'open keep their end',
    body: CutoverChange,
    answer: Cutover,
  }),
  listNotes: route({
    method: 'GET',
    path: '/api/notes',
    summary:
      'The notes of days, the newest first; of one month (YYYYMM) or all, written, pending ' +
      'or both',
    ...listOf(Note, { month: Month.optional(), state: Note.shape.state.optional() }),
  }),
  getNote: route({
    method: 'GET',
    path: '/api/notes/{day}',
    summary:
      'The note of a day as Markdown; a day is YYYYMMDD or YYYY-MM-DD. Times are in ' +
      '`timezone`, or in that of the days',
    query: z.object({ timezone: CutoverChange.shape.timezone }),
    media: 'text/markdown; charset=utf-8',
  }),
}
