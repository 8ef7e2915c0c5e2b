/**
 * What a cutover left behind: each conversation whole on one side or the other, each note whole,
 * and in the end each chapter in one, once.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messagesAfter } from '../../../src/store/conversations/messages.ts'
import { selectEventsAfter } from '../../../src/store/log/event-log.ts'
import { readSqlite } from '../../../src/store/sqlite/backup.ts'
import type { Reader } from '../../../src/store/store.ts'
import { type Findings, noFindings } from '../oracle.ts'
import { databaseIn } from '../place.ts'
import { keyOf, wordsOf } from './conversations.ts'

const many = 10_000

interface Seen {
  readonly closed: ReadonlyMap<string, string>
  readonly findings: Findings
}

/** At any moment. `isOver`: nothing stands out any more. */
export async function examineCutover(
  folder: string,
  conversations: number,
  isOver: boolean,
): Promise<Findings> {
  const { closed, findings } = await readSqlite(databaseIn(folder), (reader) =>
    storeAfter(reader, conversations, isOver),
  )
  const noted = await notesIn(folder, findings)
  for (const [key, days] of noted) {
    if (!closed.has(key)) findings.torn.push(`${key} is in the note of ${days} and was not closed`)
    else if (days.some((day) => day !== closed.get(key)))
      findings.torn.push(`${key} is in the note of ${days}`)
    if (days.length > 1) findings.doubled.push(`${key} is in the notes ${days.length} times`)
  }
  if (isOver)
    for (const key of closed.keys()) if (!noted.has(key)) findings.lost.push(`${key} is in no note`)
  return findings
}

async function storeAfter(reader: Reader, conversations: number, isOver: boolean): Promise<Seen> {
  const findings = noFindings()
  const closed = new Map<string, string>()
  for (let n = 0; n < conversations; n++) {
    const key = keyOf(n)
    const row = await reader.row('conversations', { key })
    const said = await messagesAfter(reader, { key, seq: 0, hidden: true, limit: many })
    const words = said.map(({ content }) => content)
    for (const text of wordsOf(n)) if (!words.includes(text)) findings.lost.push(`${key}: ${text}`)
    const events = await reader.all(selectEventsAfter, {
      stream: `conversation:${key}`,
      after: 0,
      limit: many,
    })
    const closings = events.filter(({ type }) => type === 'chapter-closed').length
    if (closings > 1) findings.doubled.push(`${key} was closed ${closings} times`)
    const chapters = await reader.query((db) =>
      db.selectFrom('chapters').selectAll().where('conversation_key', '=', key),
    )
    const handed = said.filter(({ seq }) => seq > (row?.kept_after ?? 0)).length
    const [chapter] = chapters
    if (chapter) closed.set(key, chapter.day)
    const isOpen =
      handed === said.length && row?.chapter_day !== null && chapters.length === 0 && closings === 0
    const isClosed =
      handed === 0 && row?.chapter_day === null && chapters.length === 1 && closings === 1
    if (!isOpen && !isClosed)
      findings.torn.push(`${key}: ${handed} messages are handed out, ${chapters.length} chapters`)
    if (isOver && !isClosed) findings.lost.push(`${key} is not closed`)
  }
  if (isOver) {
    const behind = await reader.query((db) =>
      db.selectFrom('notes').select('day').whereRef('written_seq', '<', 'seq'),
    )
    for (const { day } of behind) findings.torn.push(`the note of ${day} is said to be pending`)
  }
  return { closed, findings }
}

/** Which conversations are in which notes; what is not whole is told. */
async function notesIn(folder: string, findings: Findings): Promise<Map<string, string[]>> {
  const noted = new Map<string, string[]>()
  const memory = join(folder, 'workspace', 'memory')
  const files = (await readdir(memory, { recursive: true }).catch(() => [])).filter((path) =>
    /\d{8}\.md$/.test(path),
  )
  for (const file of files) {
    const text = await readFile(join(memory, file), 'utf8')
    const day = /^date: (.*)$/m.exec(text)?.[1] ?? file
    const [head = '', ...sections] = text.split(/^(?=## )/m)
    if (Number(/^conversations: (\d+)$/m.exec(head)?.[1]) !== sections.length)
      findings.torn.push(`${file} has ${sections.length} sections and says otherwise`)
    for (const section of sections) {
      const key = /^## (.*)$/m.exec(section)?.[1] ?? ''
      noted.set(key, [...(noted.get(key) ?? []), day])
      const n = Number(key.split(':')[1]) - 1000
      const quoted = wordsOf(n).map((words) => `> ${words.replace('\n', '\n> ')}\n`)
      for (const words of quoted)
        if (section.split(words).length !== 2) findings.torn.push(`${file}: ${key} is not whole`)
    }
  }
  return noted
}
