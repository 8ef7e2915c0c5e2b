/** The days of a conversation, to go to one. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { inputClass } from '../../parts/field.tsx'
import { useWords, useWriting } from '../../translations/messages.tsx'
import { noonOf } from './days.ts'
import { chaptersOf } from './note-queries.ts'

export function DaysMenu({
  conversationKey,
  at,
}: {
  conversationKey: string
  at: number | undefined
}) {
  const { conversations: words } = useWords()
  const writing = useWriting()
  const navigate = useNavigate()
  const chapters = useQuery(chaptersOf(conversationKey)).data ?? []
  if (chapters.length < 2) return null
  const current = chapters.find(({ afterSeq }) => afterSeq + 1 === at)?.afterSeq ?? ''
  return (
    <select
      aria-label={words.days}
      value={current}
      onChange={({ target }) => {
        const chapter = chapters.find(({ afterSeq }) => String(afterSeq) === target.value)
        void navigate({
          to: '/conversations/$key',
          params: { key: conversationKey },
          search: ({ at: _, ...rest }) => (chapter ? { ...rest, at: chapter.afterSeq + 1 } : rest),
        })
      }}
      className={`${inputClass} w-auto! max-w-44`}
    >
      <option value="">{words.today}</option>
      {chapters.map(({ day, afterSeq, messageCount }) => (
        <option key={afterSeq} value={afterSeq}>
          {words.chapterOf(writing.day(noonOf(day)), messageCount)}
        </option>
      ))}
    </select>
  )
}
