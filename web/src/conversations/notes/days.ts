/** Finds the day of a message: that of its chapter (DC2), where there is one. */
import { useQuery } from '@tanstack/react-query'
import type { Chapter } from '../../../../src/protocol/conversations/chapter.ts'
import type { Message } from '../../../../src/protocol/conversations/message.ts'
import { useWriting } from '../../translations/messages.tsx'
import { chaptersOf } from './note-queries.ts'

/** Noon in the reader's zone, so that it is written as the same day. */
export const noonOf = (day: string): string => `${day}T12:00:00`

/** `2026-11-15`, in the reader's zone. */
export const dayOfDate = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

export interface DayOfMessage {
  /** The day in the reader's format. */
  readonly name: string
  readonly chapter: Chapter | undefined
}

export function useDayOf(conversationKey: string): (message: Message) => DayOfMessage {
  const writing = useWriting()
  const chapters = useQuery(chaptersOf(conversationKey)).data ?? []
  return ({ seq, createdAt }) => {
    const chapter = chapters.find(
      ({ afterSeq, throughSeq }) => afterSeq < seq && (throughSeq === null || seq <= throughSeq),
    )
    return { name: writing.day(chapter ? noonOf(chapter.day) : createdAt), chapter }
  }
}
