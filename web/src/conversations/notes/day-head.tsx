/**
 * The heading of a day in a conversation: the day, the first line of its summary, and its note or
 * that one is still to be written.
 */
import { Link } from '@tanstack/react-router'
import { useWords } from '../../translations/messages.tsx'
import type { DayOfMessage } from './days.ts'

export function DayHead({ day: { name, chapter } }: { day: DayOfMessage }) {
  const { conversations: words } = useWords()
  const about = chapter?.summary.trim().split('\n')[0]
  return (
    <li
      data-day={chapter?.day}
      className="sticky top-0 z-10 flex items-baseline justify-center gap-2 bg-canvas pt-4 pb-1 text-center text-xs text-faint"
    >
      <span className="shrink-0 font-medium">{name}</span>
      {about && <span className="min-w-0 truncate">{about}</span>}
      {chapter?.note === 'written' && (
        <Link
          to="/conversations/notes"
          search={{ day: chapter.day }}
          className="shrink-0 text-accent underline-offset-2 hover:underline"
        >
          {words.toNote}
        </Link>
      )}
      {chapter?.note === 'pending' && (
        <span className="shrink-0 text-warn" title={words.pendingText}>
          {words.pending}
        </span>
      )}
    </li>
  )
}
