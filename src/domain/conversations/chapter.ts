/**
 * The chapters of a conversation, one for each logical day with messages (DC2). At most one is open:
 *
 *   none ──first message──▶ open ──its day is over and no turn runs──▶ closed      (the next message opens another)
 *
 * Days of chapters never go back, whatever a clock or a setting does: what comes after a closed chapter is of its day or a later one,
 * and when it is of the same day, it is the same chapter gone on. Pure.
 */
import type { Instant } from '../instant.ts'
import type { Day } from './logical-day.ts'

/** The day of a chapter that begins now. */
export const chapterDay = (today: Day, lastClosed: Day | undefined): Day =>
  lastClosed !== undefined && lastClosed > today ? lastClosed : today

export const isOver = (dueAt: Instant | null, at: Instant): boolean => dueAt !== null && dueAt <= at

export interface Closed {
  readonly afterSeq: number
  readonly throughSeq: number
  readonly messageCount: number
  readonly summary: string
}

/** Merges a chapter with later messages of the same day. */
export const mergeChapter = (earlier: Closed | undefined, later: Closed): Closed =>
  earlier
    ? {
        afterSeq: earlier.afterSeq,
        throughSeq: later.throughSeq,
        messageCount: earlier.messageCount + later.messageCount,
        summary: [earlier.summary, later.summary].filter(Boolean).join('\n\n'),
      }
    : later
