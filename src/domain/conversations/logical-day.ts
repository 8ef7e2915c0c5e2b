/**
 * The logical day of a conversation (DC1): it begins at the boundary hour in a time zone, so what happens before that hour belongs
 * to the day before. The one place that knows about zones. Pure.
 *
 * A boundary hour that a day skips is where the clock goes on; one that comes twice is the first of the two. A date that a zone left
 * out has no time of its own, and nothing belongs to it. So boundaries never go back, and every moment has exactly one day.
 */
import { type Instant, instant } from '../instant.ts'

/** A date as RFC 3339 writes it, `2026-11-15`. Such strings sort by time. */
export type Day = string

export interface CutoverRule {
  /** 0 to 23; null: days are not closed. */
  readonly hour: number | null
  /** An IANA name. */
  readonly timezone: string
}

const usualHour = 4

export const usualRule: CutoverRule = { hour: usualHour, timezone: 'Asia/Tokyo' }

/** The moment at which a day begins. */
export const boundaryOf = ({ hour, timezone }: CutoverRule, day: Day): Instant => instant(boundaryMs(hour, timezone, day))

/** The moment at which a day is over: its chapters are due then (DC2). */
export const endOf = (rule: CutoverRule, day: Day): Instant => boundaryOf(rule, dayAfter(day))

/** The day a moment belongs to. */
export function logicalDay({ hour, timezone }: CutoverRule, at: Instant): Day {
  const ms = Date.parse(at)
  let day: Day = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()
  while (boundaryMs(hour, timezone, day) > ms) day = dayBefore(day)
  while (boundaryMs(hour, timezone, dayAfter(day)) <= ms) day = dayAfter(day)
  return day
}

/** The wall clock of a moment, `09:05`. */
export const clockTime = ({ timezone }: CutoverRule, at: Instant): string =>
  Temporal.Instant.from(at).toZonedDateTimeISO(timezone).toPlainTime().toString({ smallestUnit: 'minute' })

export const dayAfter = (day: Day): Day => Temporal.PlainDate.from(day).add({ days: 1 }).toString()
export const dayBefore = (day: Day): Day => Temporal.PlainDate.from(day).subtract({ days: 1 }).toString()

/** As notes are named, `20261115`. */
export const compactDay = (day: Day): string => day.replaceAll('-', '')

/** `20261115` or `2026-11-15`; undefined when it is no date there is. */
export function parseDay(text: string): Day | undefined {
  const [, year, month, date] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? []
  const day = `${year}-${month}-${date}`
  try {
    return Temporal.PlainDate.from(day, { overflow: 'reject' }).toString() === day ? day : undefined
  } catch {
    return undefined
  }
}

/** Where days are not closed they still have names, by the usual hour. */
const boundaryMs = (hour: number | null, timeZone: string, day: Day): number =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: { hour: hour ?? usualHour } }).epochMilliseconds
