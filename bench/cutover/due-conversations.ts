/**
 * Conversations whose day is over, in a store, as bare rows, and as files: the same words in each.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  getOrCreateConversation,
  setHistory,
} from '../../src/services/conversations/change-conversation.ts'
import type { Store } from '../../src/store/store.ts'

const conversations = 1000
const messagesEach = 20
const by = 'bench'
const day = '2026-03-01'
const keyOf = (n: number): string => `bench:${n}`
const liveKey = 'live:1'
const words = (n: number): string => `message ${n} of a conversation that is over when the night is`

const messages = Array.from({ length: messagesEach }, (_, n) => ({
  role: 'user' as const,
  content: words(n),
}))

export interface DueConversations {
  readonly file: string
  /** Makes all of them due once more. */
  readonly again: () => void
  readonly copy: (to: string) => Promise<string>
  readonly close: () => void
}

export async function dueConversations(
  folder: string,
  open: (file: string) => Promise<Store>,
): Promise<DueConversations> {
  const file = join(folder, 'ours.db')
  const store = await open(file)
  const begin = async (key: string): Promise<void> => {
    await store.run(getOrCreateConversation, { key })
    await store.run(setHistory, { key, messages, by })
  }
  await Promise.all(
    [...Array.from({ length: conversations }, (_, n) => keyOf(n)), liveKey].map(begin),
  )
  await store.close()
  const db = openBare(file)
  return {
    file,
    again: () => makeDue(db),
    copy: async (to) => {
      db.exec('pragma wal_checkpoint(truncate)')
      await copyFile(file, to)
      return to
    },
    close: () => db.close(),
  }
}

function openBare(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
  return db
}

function makeDue(db: DatabaseSync): void {
  db.exec(`begin immediate;
    delete from chapters; delete from notes;
    update conversations set chapter_day = '${day}', chapter_due_at = '2026-03-01T19:00:00.000Z', chapter_after = 0, kept_after = 0,
      chapter_messages = ${messagesEach}, message_count = ${messagesEach}, summary = 'what was said' where key like 'bench:%';
    commit`)
}

/** What a cutover must write, and no more: looked up, written and committed at once. */
export function bareCutover(file: string): {
  again: () => void
  work: () => void
  close: () => void
} {
  const db = openBare(file)
  const due =
    db.prepare(`select key, chapter_day, chapter_after, chapter_messages, summary from conversations
    where chapter_due_at is not null and chapter_due_at <= ? order by chapter_due_at, key`)
  const last = db.prepare(
    'select seq from messages where conversation_key = ? order by seq desc limit 1',
  )
  const insert = db.prepare(`insert into chapters
    (conversation_key, day, after_seq, through_seq, message_count, summary, closed_at, note_seq, removed) values (?, ?, ?, ?, ?, ?, ?, 1, 0)`)
  const leave =
    db.prepare(`update conversations set summary = '', summary_through = ?, kept_after = ?, unsummarised_chars = 0,
    message_count = 0, chapter_day = null, chapter_due_at = null, chapter_after = ?, chapter_messages = 0 where key = ?`)
  const head = db.prepare('update streams set head = head + 1 where name = ? returning head')
  const append = db.prepare(
    "insert into events (stream, seq, type, at, data) values (?, ?, 'chapter-closed', ?, ?)",
  )
  const note = db.prepare('insert into notes values (?, ?, ?, 1, 0, null, ?)')
  const work = (): void => {
    const now = new Date().toISOString()
    db.exec('begin immediate')
    const found = due.all(now) as unknown as DueRow[]
    for (const row of found) {
      const { seq } = last.get(row.key) as { seq: number }
      insert.run(
        row.key,
        row.chapter_day,
        row.chapter_after,
        seq,
        row.chapter_messages,
        row.summary,
        now,
      )
      leave.run(seq, seq, seq, row.key)
      const stream = `conversation:${row.key}`
      const { head: at } = head.get(stream) as { head: number }
      const chapter = {
        conversationKey: row.key,
        day: row.chapter_day,
        state: 'closed',
        afterSeq: row.chapter_after,
        throughSeq: seq,
      }
      const rest = {
        messageCount: row.chapter_messages,
        summary: row.summary,
        closedAt: now,
        note: 'pending',
      }
      append.run(stream, at, now, JSON.stringify({ chapter: { ...chapter, ...rest } }))
    }
    note.run(day, found.length, found.length * messagesEach, now)
    db.exec('commit')
  }
  return { again: () => makeDue(db), work, close: () => db.close() }
}

interface DueRow {
  readonly key: string
  readonly chapter_day: string
  readonly chapter_after: number
  readonly chapter_messages: number
  readonly summary: string
}

/**
 * A file each: read, added to the day's note, written whole without its messages, beside its place,
 * fsynced, renamed.
 */
export function filesCutOver(folder: string): { again: () => void; work: () => void } {
  mkdirSync(folder)
  const fileOf = (n: number): string => join(folder, `bench_${n}.json`)
  const whole = (n: number, kept: unknown[]): string =>
    JSON.stringify({ key: keyOf(n), messages: kept, summary: '' }, null, 2)
  const replace = (path: string, text: string): void => {
    const handle = openSync(`${path}.tmp`, 'w')
    writeSync(handle, text)
    fsyncSync(handle)
    closeSync(handle)
    renameSync(`${path}.tmp`, path)
  }
  return {
    again: () => {
      for (let n = 0; n < conversations; n++) writeFileSync(fileOf(n), whole(n, messages))
      writeFileSync(join(folder, 'note.md'), '')
    },
    work: () => {
      for (let n = 0; n < conversations; n++) {
        const { messages: said } = JSON.parse(readFileSync(fileOf(n), 'utf8')) as {
          messages: typeof messages
        }
        const section = said.map(({ role, content }) => `- ${role}: ${content}\n`).join('')
        writeFileSync(join(folder, 'note.md'), `## ${keyOf(n)}\n\n${section}\n`, { flag: 'a' })
        replace(fileOf(n), whole(n, []))
      }
    },
  }
}
