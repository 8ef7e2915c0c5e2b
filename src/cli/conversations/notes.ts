/** `holdfast notes`: daily notes of conversations (DC3). */

import type { Client } from '../../client/client.ts'
import { problemIn, UnreachableError } from '../../client/failures.ts'
import { visible, visibleLines } from '../../platform/log/visible.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Note } from '../../protocol/conversations/chapter.ts'
import { type CommandSpec, command, operand, option } from '../command.ts'
import type { CommandContext } from '../context.ts'
import { usage } from '../failure.ts'
import { limitOption } from '../options-everywhere.ts'
import type { Paint } from '../terminal.ts'

const names =
  'January February March April May June July August September October November December'.split(' ')
const week = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
/** Width of a day: its number, a mark, a gap. */
const cell = 4

/** Draws a calendar of a month (`202611`), weeks from Monday, marking days with notes. Pure. */
function monthCalendar(month: string, notes: readonly Note[], paint: Paint): string {
  const [year, number] = [Number(month.slice(0, 4)), Number(month.slice(4))]
  const title = `${names[number - 1]} ${month.slice(0, 4)}`
  const first = (new Date(Date.UTC(year, number - 1, 1)).getUTCDay() + 6) % 7
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
  const notesByDay = new Map(notes.map((note) => [Number(note.date.slice(8)), note]))
  const cells = [
    ...Array.from({ length: first }, () => ' '.repeat(cell)),
    ...Array.from({ length: days }, (_, at) => drawn(at + 1)),
  ]

  function drawn(day: number): string {
    const note = notesByDay.get(day)
    const text = String(day).padStart(2)
    if (!note) return `${paint('dim', text)}  `
    return note.state === 'written'
      ? `${paint('bold', `${text}•`)} `
      : `${paint(['bold', 'yellow'], `${text}!`)} `
  }

  const weekOf = (at: number): string =>
    cells
      .slice(at, at + week.length)
      .join('')
      .trimEnd()
  const lines = Array.from({ length: Math.ceil(cells.length / week.length) }, (_, at) =>
    weekOf(at * week.length),
  )
  const messages = notes.reduce((sum, note) => sum + note.messages, 0)
  const legend = `${notes.length} ${notes.length === 1 ? 'note' : 'notes'} (•), ${messages} messages`
  const pending = notes.some(({ state }) => state === 'pending') ? '; ! is not in its file yet' : ''
  const width = week.length * cell - 2
  const heading = paint('bold', title.padStart(Math.floor((width + title.length) / 2)))
  const dayNames = paint('dim', week.join('  '))
  return [heading, dayNames, ...lines, '', `${legend}${pending}`].join('\n')
}

const limit = 200
const answerTimeoutMs = 30_000

const listNotes = command({
  summary: 'List the notes, newest first (the default)',
  options: {
    month: option.text('<month>', 'only of this month, such as 2026-11'),
    limit: limitOption,
  },
  examples: [
    ['notes list --month 2026-11', 'those of November'],
    ['notes list --json', 'for a program'],
  ],
  async run(context, given) {
    const month = given.month
    const query = { month: month === undefined ? undefined : monthOf(month) }
    await context.printList(context.client.pages('/api/notes', { query }), {
      empty: 'No notes. A day of conversation becomes one when it is over.',
      columns: [
        { title: 'DAY', of: (note) => note.date, style: 'bold' },
        { title: 'CONVERSATIONS', of: (note) => String(note.conversations) },
        { title: 'MESSAGES', of: (note) => String(note.messages) },
        {
          title: 'FILE',
          of: (note) => note.state,
          style: (note) => (note.state === 'written' ? 'dim' : 'yellow'),
        },
      ],
      beside: (items) => warn(context, items),
    })
  },
})

const showNote = command({
  summary: 'Print the note of a day as Markdown',
  operands: { day: operand.required('such as 2026-11-15 or 20261115') },
  examples: [
    ['notes show 2026-11-15', 'what was said on that day'],
    ['notes show 20261115 --json', 'with its counts, for a program'],
  ],
  async run(context, given) {
    const [, year, month, date] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(given.day) ?? []
    if (!year) throw usage(`${visible(given.day)} is no day.`, 'Type it as 2026-11-15 or 20261115.')
    const day = `${year}${month}${date}`
    const text = await textOf(context.client, day)
    const note = await noteOf(context.client, `${year}-${month}-${date}`)
    context.answer({ ...note, text }, () => visibleLines(text.trimEnd()))
    if (note) warn(context, [note])
  },
})

const calendar = command({
  summary: 'Show a month, with the days that have notes',
  operands: { month: operand.optional('such as 2026-11; this month when left out') },
  examples: [
    ['notes calendar', 'this month'],
    ['notes calendar 2026-10', 'October'],
  ],
  async run(context, given) {
    const typed = given.month
    const month =
      typed === undefined
        ? new Date(systemClock.now()).toISOString().slice(0, 7).replace('-', '')
        : monthOf(typed)
    const { items } = await context.client.get('/api/notes', { query: { month, limit } })
    context.answer({ month, items }, () => monthCalendar(month, items, context.paint))
    warn(context, items)
  },
})

function monthOf(typed: string): string {
  const [, year, month] = /^(\d{4})-?(0[1-9]|1[0-2])$/.exec(typed) ?? []
  if (!year || !month)
    throw usage(`${visible(typed)} is no month.`, 'Type it as 2026-11 or 202611.')
  return `${year}${month}`
}

async function textOf(client: Client, day: string): Promise<string> {
  const response = await client.open(`/api/notes/${day}`, {
    signal: AbortSignal.timeout(answerTimeoutMs),
  })
  if (response.ok) return response.text()
  throw (await problemIn(response)) ?? new UnreachableError(client.url, 'foreign')
}

async function noteOf(client: Client, date: string): Promise<Note | undefined> {
  const { items } = await client.get('/api/notes', {
    query: { month: date.slice(0, 7).replace('-', ''), limit },
  })
  return items.find((note) => note.date === date)
}

/** DC4: warns about notes whose file cannot be written. */
function warn(context: CommandContext, notes: readonly Note[]): void {
  if (context.json) return
  for (const { date, state, problem } of notes) {
    if (state === 'pending' && problem !== null)
      context.note(
        `The note of ${date} is pending: ${visible(problem)}. It is tried again; nothing is lost.`,
      )
  }
}

export const notes: CommandSpec = {
  summary: 'The notes of days: what was said in all conversations',
  examples: [
    ['notes', 'list them, newest first'],
    ['notes show 2026-11-15', 'read the note of a day'],
    ['notes calendar 2026-11', 'a month, with the days that have notes'],
  ],
  commands: { list: listNotes, show: showNote, calendar },
}
