/** A month as people draw it, weeks from Monday, with the days that have notes. Pure. */
import type { Note } from '../protocol/chapter.ts'
import type { Paint } from './terminal.ts'

const names = 'January February March April May June July August September October November December'.split(' ')
const week = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
/** A day takes four cells: its number, a mark, a gap. */
const cell = 4

/** `month` is 202611. */
export function monthPicture(month: string, notes: readonly Note[], paint: Paint): string {
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
