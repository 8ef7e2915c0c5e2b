/** The days of conversations and the notes made of them (DC). The key of a conversation is URL-encoded in the path. */
import * as z from 'zod'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { YesOrNo } from '../text.ts'
import { Chapter, Note } from './chapter.ts'
import { Cutover, CutoverChange } from './cutover.ts'
import { Message } from './message.ts'

const conversation = z.object({ key: z.string().max(2000) })
const Month = z.string().regex(/^\d{4}(0[1-9]|1[0-2])$/, 'a month is YYYYMM')

export const noteRoutes = {
  listChapters: {
    method: 'GET',
    path: '/api/conversations/{key}/chapters',
    scope: 'read',
    summary: 'The days of a conversation, the newest first; the first may still be open',
    params: conversation,
    query: PageQuery,
    status: 200,
    answer: pageOf(Chapter),
  },
  listChapterMessages: {
    method: 'GET',
    path: '/api/conversations/{key}/chapters/{day}/messages',
    scope: 'read',
    summary: 'What was said on a day of a conversation, oldest first; a day is YYYY-MM-DD or YYYYMMDD',
    params: conversation.extend({ day: z.string().max(20) }),
    query: PageQuery.extend({ hidden: YesOrNo }),
    status: 200,
    answer: pageOf(Message),
  },
  cutOverConversation: {
    method: 'POST',
    path: '/api/conversations/{key}/cutover',
    scope: 'write',
    summary: 'Close the day of a conversation if it is over, now or at the moment `now`, and write its note',
    params: conversation,
    body: z.strictObject({ now: z.iso.datetime({ offset: true }).optional() }).optional(),
    status: 200,
    answer: z.object({ cut: z.boolean(), date: z.iso.date().nullable(), notePath: z.string().nullable() }),
  },
  getCutover: {
    method: 'GET',
    path: '/api/cutover',
    scope: 'read',
    summary: 'When a new day of conversation begins, and who says so',
    status: 200,
    answer: Cutover,
  },
  setCutover: {
    method: 'PUT',
    path: '/api/cutover',
    scope: 'manage',
    summary: 'Say when a new day of conversation begins, or switch days off; chapters that are open keep their end',
    body: CutoverChange,
    status: 200,
    answer: Cutover,
  },
  listNotes: {
    method: 'GET',
    path: '/api/notes',
    scope: 'read',
    summary: 'The notes of days, the newest first; of one month (YYYYMM) or all, written, pending or both',
    query: PageQuery.extend({ month: Month.optional(), state: Note.shape.state.optional() }),
    status: 200,
    answer: pageOf(Note),
  },
  getNote: {
    method: 'GET',
    path: '/api/notes/{day}',
    scope: 'read',
    summary: 'The note of a day as Markdown; a day is YYYYMMDD or YYYY-MM-DD',
    params: z.object({ day: z.string().max(20) }),
    status: 200,
    media: 'text/markdown; charset=utf-8',
  },
} as const satisfies Record<string, Route>
