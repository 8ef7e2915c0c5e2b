/**
 * Agents that say that a limit of their vendor's was reached, and until when (AG6). None says it in a field: they say it in sentences, some as
 * an error and some as an answer. Pure. What names no moment is an error like all others.
 */
import { epochMs, type Instant, instant } from '../instant.ts'
import { notAnAnswer } from './dialects.ts'

export interface Heard {
  readonly now: Instant
  /** Of a wall clock that is told without one; an IANA name. */
  readonly zone: string
}

/** A moment that lies farther ahead than this is a misunderstanding. */
const maxMs = 32 * 24 * 3600_000
/** A wall clock so little ago means: any moment now. */
const justNowMs = 3600_000
const soonMs = 60_000
const longestWords = 4000
/** An answer that is a limit is one sentence and nothing else. */
const maxAnswer = 400

const aboutLimit = /\blimits?\b|\bquota\b|\bexhausted\b|\btoo many requests\b|\brate.?limit|\b429\b|\boverloaded\b/i

/** Until when the one who failed so is at its limit. */
export function limitInError(words: string, heard: Heard): Instant | undefined {
  const said = words.slice(0, longestWords)
  return aboutLimit.test(said) ? momentIn(said, heard) : undefined
}

/** The same of one that calls it an answer. */
export const limitInAnswer = (words: string, heard: Heard): Instant | undefined =>
  words.length <= maxAnswer && notAnAnswer('limit', null, words) !== undefined ? limitInError(words, heard) : undefined

function momentIn(said: string, heard: Heard): Instant | undefined {
  const now = epochMs(heard.now)
  const at = stamped(said) ?? counted(said, now) ?? told(said, heard)
  return at !== undefined && at > now && at - now <= maxMs ? instant(at) : undefined
}

/** `limit reached|1766502000`, and moments as machines write them. */
function stamped(said: string): number | undefined {
  const [, seconds] = /\|\s*(\d{10})\b/.exec(said) ?? []
  if (seconds !== undefined) return Number(seconds) * 1000
  const [written] = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(said) ?? []
  return written === undefined ? undefined : Date.parse(written)
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3600_000, m: 60_000, s: 1000, ms: 1 }
const lead = String.raw`\b(?:again in|retry in|retry[- _]?after|resets? (?:in|after)|retryDelay)["':=\s]*`
const part = String.raw`(\d{1,9}(?:\.\d{1,9})?)\s*(ms|d(?:ays?)?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])`
const waits = new RegExp(`${lead}((?:${part}[\\s,]*){1,4})`, 'i')
const parts = new RegExp(part, 'gi')
/** Seconds, as in HTTP. */
const bareWaits = new RegExp(String.raw`${lead}(\d{1,7})(?![\d\w:.-])`, 'i')

/** `try again in 2 days 17 hours 14 minutes`, `reset after 2h13m21s`, `retry-after: 30`. */
function counted(said: string, now: number): number | undefined {
  const [, all = ''] = waits.exec(said) ?? []
  let ms = 0
  for (const [, number, unit = ''] of all.matchAll(parts))
    ms += Number(number) * (unitMs[unit.toLowerCase() === 'ms' ? 'ms' : unit.slice(0, 1).toLowerCase()] ?? 0)
  const seconds = ms > 0 ? 0 : Number(bareWaits.exec(said)?.[1] ?? 0)
  return ms + seconds > 0 ? Math.floor(now + ms + seconds * 1000) : undefined
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const wallClock =
  /\b(?:resets?|again|until|renews?)\s*(?:at|on)?\s*(?:([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,?\s*(?:at )?)?(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])?\.?m?\b\.?(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*)\))?/i

/** `resets 1:30am (Asia/Dhaka)`, `resets May 5 at 9pm`, `try again at 2:51 PM`. */
function told(said: string, { now, zone }: Heard): number | undefined {
  const [whole, month, day, year, hours, minutes, half, named] = wallClock.exec(said) ?? []
  // A number alone is no time of day.
  if (whole === undefined || (minutes === undefined && half === undefined)) return undefined
  try {
    const here = Temporal.Instant.from(now).toZonedDateTimeISO(named ?? zone)
    const pm = half?.toLowerCase() === 'p' ? 12 : 0
    const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + pm
    const plainTime = Temporal.PlainTime.from({ hour, minute: Number(minutes ?? 0) }, { overflow: 'reject' })
    if (month === undefined) return onClock(here, plainTime)
    const index = months.indexOf(month.toLowerCase())
    const date = { year: Number(year ?? here.year), month: index + 1, day: Number(day) }
    const at = Temporal.PlainDate.from(date, { overflow: 'reject' }).toZonedDateTime({ timeZone: here.timeZoneId, plainTime })
    const isPast = year === undefined && at.epochMilliseconds < here.epochMilliseconds
    return (isPast ? at.add({ years: 1 }) : at).epochMilliseconds
  } catch {
    // A zone or a time that there is not.
    return undefined
  }
}

/** The next time that the clock shows it. */
function onClock(here: Temporal.ZonedDateTime, time: Temporal.PlainTime): number {
  const today = here.withPlainTime(time)
  const agoMs = here.epochMilliseconds - today.epochMilliseconds
  if (agoMs < 0) return today.epochMilliseconds
  return agoMs < justNowMs ? here.epochMilliseconds + soonMs : today.add({ days: 1 }).epochMilliseconds
}
