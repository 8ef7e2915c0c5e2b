/** The days of conversations, and notes. */
import { type CutoverRule, parseDay } from '../../domain/conversations/logical-day.ts'
import { instant } from '../../domain/instant.ts'
import { zoneOf } from '../../platform/local-zone.ts'
import type { Cutover } from '../../protocol/conversations/cutover.ts'
import type { noteRoutes } from '../../protocol/conversations/note-routes.ts'
import { getCutoverRule, listChapterMessages, listChapters, listNotes } from '../../services/conversations/chapter-queries.ts'
import { cutOverConversation, setCutoverRule } from '../../services/conversations/cut-over-conversation.ts'
import { noSuchNote } from '../../services/refusals.ts'
import { noteContents, noteText } from '../../store/conversations/notes.ts'
import { type HandlersOf, query } from '../http/handler.ts'

const cutoverOf = ({ hour, timezone, source }: CutoverRule & Pick<Cutover, 'source'>): Cutover => ({
  hour: hour ?? 'off',
  timezone,
  source,
})

export const noteHandlers: HandlersOf<typeof noteRoutes> = {
  listChapters: query(listChapters, (call) => ({ ...call.query, ...call.params })),
  listChapterMessages: query(listChapterMessages, (call) => ({ ...call.query, ...call.params })),
  cutOverConversation: async ({ params, body, doors, receipt }) => {
    const at = body?.now === undefined ? undefined : instant(Date.parse(body.now))
    const { cut, day } = await doors.store.run(cutOverConversation, { ...params, at }, receipt)
    if (!cut || day === null) return { cut, date: day, notePath: null }
    await doors.files.noteWritten(day)
    return { cut, date: day, notePath: doors.files.notePath(day) }
  },
  getCutover: async ({ doors }) => cutoverOf(await doors.store.query(getCutoverRule, {})),
  setCutover: async ({ body, doors, receipt }) => {
    const { hour, timezone } = body
    const change = {
      ...(hour !== undefined && { hour: hour === 'off' ? null : hour }),
      ...(timezone !== undefined && { timezone: zoneOf(timezone) }),
    }
    return cutoverOf(await doors.store.run(setCutoverRule, { ...change, source: 'chosen' }, receipt))
  },
  listNotes: query(listNotes, (call) => call.query),
  getNote: async ({ params, doors }) => {
    const day = parseDay(params.day)
    const contents = day && (await doors.store.read((reader) => noteContents(reader, day)))
    if (!contents || contents.chapters.length === 0) throw noSuchNote(params.day)
    let text = ''
    for await (const piece of noteText(doors.store, contents)) text += piece
    return text
  },
}
