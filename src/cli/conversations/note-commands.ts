/** Implementation of the commands under `holdfast notes`. */

import type { Client } from '../../client/client.ts'
import { problemIn, UnreachableError } from '../../client/failures.ts'
import { visible } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Note } from '../../protocol/conversations/chapter.ts'
import type { Given } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { table } from '../table.ts'
import type { Paint } from '../terminal.ts'

const names = 'January February March April May June July August September October November December'.split(' ')
const week = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
/** Width of a day: its number, a mark, a gap. */
const cell = 4

/** Draws a calendar of a month (`202611`), weeks from Monday, marking days with notes. Pure. */
function monthCalendar(month: string, notes: readonly Note[], paint: Paint): string {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(4))]
  const title = `${names[number - 1]} ${month.slice(0, 4)}`
  const first = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const known = new Map(notes.map((note) => [Number(note.date.slice(8)), note]))
  const cells = [
    ...Array.from({ length: first }, () => ' '.repeat(cell)),
    ...Array.from({ length: days }, (_, at) => drawn(at + 1)),
  ]

  function drawn(day: number): string {
    const note = known.get(day)
    const text = String(day).padStart(2)
    if (!note) return `${paint('dim', text)}  `
    return note.state === 'written' ? `${paint('bold', `${text}•`)} ` : `${paint(['bold', 'yellow'], `${text}!`)} `
  }

  const lines = Array.from({ length: Math.ceil(cells.length / week.length) }, (_, at) =>
    cells
      .slice(at * week.length, (at + 1) * week.length)
      .join('')
      .trimEnd(),
  )
  const messages = notes.reduce((sum, note) => sum + note.messages, 0)
  const legend = `${notes.length} ${notes.length === 1 ? 'note' : 'notes'} (•), ${messages} messages`
  const pending = notes.some(({ state }) => state === 'pending') ? '; ! is not in its file yet' : ''
  const width = week.length * cell - 2
  const heading = paint('bold', title.padStart(Math.floor((width + title.length) / 2)))
  return [
    heading,
    paint(
      'dim',
      week
        .map((day) => day.padEnd(cell))
        .join('')
        .trimEnd(),
    ),
    ...lines,
    '',
    `${legend}${pending}`,
  ].join('\n')
}

const limit = 200
const answerTimeoutMs = 30_000

export async function listNotes(context: CommandContext, given: Given): Promise<void> {
  const client = await context.client()
  const month = given.text('month')
  const query = { limit, ...(month === undefined ? {} : { month: monthOf(month) }) }
  const { items, nextCursor, more } = await context.list(client.pages('/api/notes', { query }))
  context.answer({ items, nextCursor }, () => {
    if (items.length === 0) return 'No notes. A day of conversation becomes one when it is over.'
    return table(
      items,
      [
        { title: 'DAY', of: (note) => note.date, style: 'bold' },
        { title: 'CONVERSATIONS', of: (note) => String(note.conversations) },
        { title: 'MESSAGES', of: (note) => String(note.messages) },
        { title: 'FILE', of: (note) => note.state, style: (note) => (note.state === 'written' ? 'dim' : 'yellow') },
      ],
      context.paint,
      context.width,
    )
  })
  if (!context.json) warn(context, items)
  if (more && !context.json) context.note('There are more; --limit N shows them.')
}

export async function showNote(context: CommandContext, given: Given): Promise<void> {
  const [, year, month, date] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(given.operand(0)) ?? []
  if (!year) throw usage(`${visible(given.operand(0))} is no day.`, 'Type it as 2026-11-15 or 20261115.')
  const client = await context.client()
  const day = `${year}${month}${date}`
  const text = await textOf(client, day)
  const note = await noteOf(client, `${year}-${month}-${date}`)
  // Line by line, to make control characters visible.
  context.answer({ ...note, text }, () => text.trimEnd().split('\n').map(visible).join('\n'))
  if (note && !context.json) warn(context, [note])
}

export async function calendar(context: CommandContext, given: Given): Promise<void> {
  const typed = given.optionalOperand(0)
  const month = typed === undefined ? new Date(systemClock.now()).toISOString().slice(0, 7).replace('-', '') : monthOf(typed)
  const client = await context.client()
  const { items } = await client.get('/api/notes', { query: { month, limit } })
  context.answer({ month, items }, () => monthCalendar(month, items, context.paint))
  if (!context.json) warn(context, items)
}

/** Parses a month to the form `202611`. */
function monthOf(typed: string): string {
  const [, year, month] = /^(\d{4})-?(0[1-9]|1[0-2])$/.exec(typed) ?? []
  if (!year || !month) throw usage(`${visible(typed)} is no month.`, 'Type it as 2026-11 or 202611.')
  return `${year}${month}`
}

async function textOf(client: Client, day: string): Promise<string> {
  const response = await client.open(`/api/notes/${day}`, { signal: AbortSignal.timeout(answerTimeoutMs) })
  if (response.ok) return response.text()
  throw (await problemIn(response)) ?? new UnreachableError(client.url, 'foreign')
}

async function noteOf(client: Client, date: string): Promise<Note | undefined> {
  const { items } = await client.get('/api/notes', { query: { month: date.slice(0, 7).replace('-', ''), limit } })
  return items.find((note) => note.date === date)
}

/** DC4: warns about notes whose file cannot be written. */
function warn(context: CommandContext, notes: readonly Note[]): void {
  for (const { date, state, problem } of notes) {
    if (state === 'pending' && problem !== null)
      context.note(`The note of ${date} is pending: ${visible(problem)}. It is tried again; nothing is lost.`)
  }
}
