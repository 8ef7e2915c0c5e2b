/**
 * A month: the days that have a note are links, the others are there so that the weeks are weeks.
 */
import { Link } from '@tanstack/react-router'
import type { Note } from '../../../../src/protocol/conversations/chapter.ts'
import { buttonClass } from '../../parts/button.tsx'
import { BackIcon } from '../../parts/icons.tsx'
import { useWords, useWriting } from '../../translations/messages.tsx'
import { dayOfDate, noonOf } from './days.ts'

interface CalendarProps {
  /** `2026-11` */
  readonly month: string
  readonly notes: readonly Note[]
  /** `2026-11-15` */
  readonly chosen: string | undefined
}

const dayClass =
  'relative flex aspect-square flex-col items-center justify-center rounded-md tabular-nums'

const todayClass = 'shadow-[inset_0_0_0_1px_var(--edge)]'

export function Calendar({ month, notes, chosen }: CalendarProps) {
  const { conversations: words } = useWords()
  const writing = useWriting()
  const year = Number(month.slice(0, 4))
  const index = Number(month.slice(5)) - 1
  const days = new Date(year, index + 1, 0).getDate()
  const firstDay = writing.firstDayOfWeek()
  const before = (new Date(year, index, 1).getDay() + 7 - firstDay) % 7
  const today = dayOfDate(new Date())
  const byDay = new Map(notes.map((note) => [note.date, note]))
  return (
    <div>
      <div className="flex items-center justify-between pb-2">
        <MonthLink year={year} index={index - 1} label={words.earlier} />
        <h2 aria-live="polite" className="font-medium">
          {writing.month(noonOf(`${month}-15`))}
        </h2>
        <MonthLink year={year} index={index + 1} label={words.later} turned />
      </div>
      <div
        aria-hidden="true"
        className="grid grid-cols-7 gap-0.5 pb-1 text-center text-xs text-faint"
      >
        {Array.from({ length: 7 }, (_, nth) => {
          // Any week will do; the first of March 2026 was a Sunday.
          const day = `2026-03-0${((firstDay + nth) % 7) + 1}`
          return <span key={day}>{writing.weekday(noonOf(day))}</span>
        })}
      </div>
      <ol aria-label={words.month} className="grid grid-cols-7 gap-0.5 text-sm">
        {Array.from({ length: days }, (_, nth) => {
          const day = `${month}-${String(nth + 1).padStart(2, '0')}`
          const note = byDay.get(day)
          const style = nth === 0 ? { gridColumnStart: before + 1 } : undefined
          return (
            <li key={day} style={style}>
              {note ? (
                <NotedDay note={note} isChosen={day === chosen} isToday={day === today} />
              ) : (
                <span className={`${dayClass} ${day === today ? todayClass : 'text-faint'}`}>
                  {nth + 1}
                </span>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function NotedDay({
  note,
  isChosen,
  isToday,
}: {
  note: Note
  isChosen: boolean
  isToday: boolean
}) {
  const { conversations: words } = useWords()
  const writing = useWriting()
  const name = `${writing.day(noonOf(note.date))}${note.state === 'pending' ? `, ${words.pending}` : ''}`
  return (
    <Link
      to="/conversations/notes"
      search={{ day: note.date }}
      aria-label={name}
      aria-current={isChosen ? 'date' : undefined}
      title={words.chapterOf(name, note.messages)}
      className={`${dayClass} font-medium transition-colors ${isChosen ? 'bg-accent text-accent-ink' : 'bg-accent-wash text-ink hover:bg-hover'} ${isToday ? todayClass : ''}`}
    >
      {Number(note.date.slice(8))}
      {note.state === 'pending' && (
        <span aria-hidden="true" className="absolute top-1 right-1 size-1.5 rounded-full bg-warn" />
      )}
    </Link>
  )
}

function MonthLink({
  year,
  index,
  label,
  turned = false,
}: {
  year: number
  index: number
  label: string
  turned?: boolean
}) {
  const month = dayOfDate(new Date(year, index, 1)).slice(0, 7)
  return (
    <Link
      to="/conversations/notes"
      search={{ month }}
      aria-label={label}
      title={label}
      className={buttonClass('quiet', 'px-2')}
    >
      <BackIcon className={turned ? 'rotate-180' : ''} />
    </Link>
  )
}
