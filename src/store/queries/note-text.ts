/**
 * The text of a day's note, piece by piece (DC3), made from the closed chapters of the day. A chapter that is closed does not change,
 * so each is read by itself, and nobody is kept waiting however many there are.
 */
import { type NotedMessage, type NoteSection, noteHead, noteSection } from '../../domain/conversation/daily-note.ts'
import type { CutoverRule, Day } from '../../domain/conversation/logical-day.ts'
import { noteStream } from '../../domain/stream/name.ts'
import { selectPosition } from '../event-log.ts'
import { statement } from '../statement.ts'
import type { Reader, Store } from '../store.ts'
import { selectChapter } from './chapters.ts'
import { cutoverRule } from './cutover-rule.ts'
import { messagesAfter, messagesBefore } from './messages.ts'

/** Of one conversation: so many from the beginning of the day and from its end. */
const messagesAtEachEnd = 100
/** Behind this much text, conversations are told without their messages. */
const maxTextChars = 8 * 1024 * 1024
const chaptersAtOnce = 500

interface NotedChapter {
  readonly key: string
  readonly messages: number
}

/** What a note is made of at one moment. */
export interface NoteContents {
  readonly day: Day
  /** Up to which event of the note's stream this is true. */
  readonly seq: number
  readonly chapters: readonly NotedChapter[]
  readonly rule: CutoverRule
}

const selectChaptersOfDay = statement<{ day: Day; after: string; limit: number }>()((db, p) =>
  db
    .selectFrom('chapters')
    .select(['conversation_key as key', 'message_count as messages'])
    .where('day', '=', p.day)
    .where('conversation_key', '>', p.after)
    .where('removed', '=', 0)
    .orderBy('conversation_key')
    .limit(p.limit),
)

export async function noteContents(reader: Reader, day: Day): Promise<NoteContents> {
  const seq = (await reader.first(selectPosition, { name: noteStream(day) }))?.head ?? 0
  const chapters: NotedChapter[] = []
  for (let after = ''; ; ) {
    const page = await reader.all(selectChaptersOfDay, { day, after, limit: chaptersAtOnce })
    chapters.push(...page)
    const last = page.at(-1)
    if (!last || page.length < chaptersAtOnce) break
    after = last.key
  }
  return { day, seq, chapters, rule: await cutoverRule(reader) }
}

export async function* noteText(store: Pick<Store, 'read'>, { day, chapters, rule }: NoteContents): AsyncGenerator<string> {
  const channels = [...new Set(chapters.map(({ key }) => key.slice(0, key.indexOf(':'))))].sort()
  const messages = chapters.reduce((sum, chapter) => sum + chapter.messages, 0)
  yield noteHead({ day, channels, conversations: chapters.length, messages })
  let chars = 0
  for (const { key } of chapters) {
    const withMessages = chars < maxTextChars
    const section = await store.read((reader) => sectionOf(reader, key, day, withMessages))
    if (!section) continue
    const text = noteSection(section, rule)
    chars += text.length
    yield text
  }
}

async function sectionOf(reader: Reader, key: string, day: Day, withMessages: boolean): Promise<NoteSection | undefined> {
  const chapter = await reader.first(selectChapter, { key, day })
  if (!chapter) return undefined
  const { summary, message_count: messageCount, after_seq: after, through_seq: through } = chapter
  if (!withMessages) return { key, summary, messageCount, first: [], last: [] }
  const page = { key, hidden: false, originals: true, limit: messagesAtEachEnd }
  const first = (await messagesAfter(reader, { ...page, seq: after })).filter(({ seq }) => seq <= through)
  const behind = first.at(-1)?.seq ?? through
  const newest: NotedMessage[] =
    first.length < messagesAtEachEnd
      ? []
      : (await messagesBefore(reader, { ...page, seq: through + 1 })).filter(({ seq }) => seq > behind).reverse()
  return { key, summary, messageCount, first, last: newest }
}
