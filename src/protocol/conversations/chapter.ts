/** Chapters and daily notes of conversations on the wire (DC). */
import * as z from 'zod'
import { Time } from '../text.ts'

/** A logical day, `2026-11-15`. */
export const Day = z.iso.date()

export const Chapter = z.object({
  conversationKey: z.string(),
  day: Day,
  /** The newest is open until its day is over; the others are closed. */
  state: z.enum(['open', 'closed']),
  /**
   * The chapter's messages come after this number, up to `throughSeq`; the open one has no last
   * yet.
   */
  afterSeq: z.number().int(),
  throughSeq: z.number().int().nullable(),
  messageCount: z.number().int(),
  summary: z.string(),
  closedAt: Time.nullable(),
  /** Whether it is in the file of the day's note (DC4); null while it is open. */
  note: z.enum(['written', 'pending']).nullable(),
})
export type Chapter = z.output<typeof Chapter>

export const Note = z.object({
  date: Day,
  conversations: z.number().int(),
  messages: z.number().int(),
  /** `pending`: its file is not up to date; writing is retried. */
  state: z.enum(['written', 'pending']),
  problem: z.string().nullable(),
  updatedAt: Time,
})
export type Note = z.output<typeof Note>
