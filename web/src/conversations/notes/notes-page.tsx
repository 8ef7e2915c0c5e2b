/**
 * The notes of days as a calendar, and the one that was chosen (DC3). A note whose file is not
 * written yet says so (DC4).
 */
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Note } from '../../../../src/protocol/conversations/chapter.ts'
import { refetch } from '../../live/queries.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useWords, useWriting } from '../../translations/messages.tsx'
import { useTitleOf } from '../titles.ts'
import { Calendar } from './calendar.tsx'
import { dayOfDate, noonOf } from './days.ts'
import { noteOf, notesOf, withTitles } from './note-queries.ts'

export function NotesPage() {
  const { conversations: words } = useWords()
  const { month, day: asked } = useSearch({ from: '/shell/conversations/notes' })
  const shown = month ?? asked?.slice(0, 7) ?? dayOfDate(new Date()).slice(0, 7)
  const query = notesOf(shown)
  const { data: notes, error } = useQuery(query)
  // The newest of the month until another is chosen.
  const day =
    asked ??
    notes
      ?.map(({ date }) => date)
      .sort()
      .at(-1)
  const chosen = notes?.find(({ date }) => date === day)
  const pending = notes?.filter(({ state }) => state === 'pending').length ?? 0
  return (
    <section aria-label={words.notes} className="flex min-h-0 flex-1 flex-col overflow-y-auto py-4">
      <div className="flex gap-8 max-xl:flex-col">
        <div className="flex w-full max-w-xs shrink-0 flex-col gap-3 xl:w-60">
          <Calendar month={shown} notes={notes ?? []} chosen={day} />
          {pending > 0 && (
            <p role="status" className="rounded-md bg-warn-wash px-3 py-2 text-sm text-warn">
              {words.pendingDays(pending)}
            </p>
          )}
          {error && !notes && <ProblemNote error={error} onRetry={() => void refetch(query)} />}
          {!error && !notes && (
            <Waiting what={words.notes} onRetry={() => void refetch(query)} rows={2} />
          )}
          {notes?.length === 0 && <p className="text-faint">{words.noNotes}</p>}
        </div>
        <div className="min-w-0 flex-1">
          {day !== undefined && <NoteView day={day} note={chosen} />}
        </div>
      </div>
    </section>
  )
}

function NoteView({ day, note }: { day: string; note: Note | undefined }) {
  const { conversations: words } = useWords()
  const writing = useWriting()
  const titleOf = useTitleOf()
  const query = noteOf(day)
  const { data, error } = useQuery(query)
  const title = writing.day(noonOf(day))
  return (
    <article aria-label={words.noteOf(title)} className="flex max-w-3xl flex-col gap-3">
      <h2 className="text-lg font-semibold">{title}</h2>
      {note?.state === 'pending' && (
        <div role="alert" className="rounded-md bg-warn-wash px-3 py-2 text-warn">
          <p className="font-medium">{words.pending}</p>
          <p>{words.pendingText}</p>
          {note.problem && (
            <p className="pt-1 font-mono text-xs [overflow-wrap:anywhere]">{note.problem}</p>
          )}
        </div>
      )}
      {error && <ProblemNote error={error} onRetry={() => void refetch(query)} />}
      {!error && data === undefined && (
        <Waiting what={words.note} onRetry={() => void refetch(query)} rows={5} />
      )}
      {data !== undefined && <Markdown text={withTitles(data, (key) => titleOf(key).title)} />}
    </article>
  )
}
