/**
 * Finds out from an agent's text that its vendor's limit is reached, and until when (AG6). No agent
 * reports it in a field; some report it as an error, some as an answer. Text without a time is an
 * ordinary error. Pure.
 */
import { epochMs, type Instant, instant } from '../instant.ts'

/**
 * Recognizes agent output that is no answer although the turn ended normally (CX5): a model's error
 * or a vendor's limit (AG6). The patterns were recorded with real agents; the exchanges are in
 * test/domain/turns/dialects.test.ts. Everything else is an answer. Pure.
 */
interface Dialect {
  /** The name in ACP's `agentInfo`; null: any agent. */
  readonly agent: string | null
  readonly says: 'error' | 'limit'
  /** Matches all text since the last tool call. The group `words`, if any, is what is reported. */
  readonly pattern: RegExp
}

const codex = '@agentclientprotocol/codex-acp'
const copilot = 'Copilot'
const pi = 'pi-acp'

const dialects: readonly Dialect[] = [
  {
    agent: codex,
    says: 'error',
    pattern: /^(?:Warning: [^\n]*\n\s*)*(?<words>\{"error":\{"message":.*\}\})$/,
  },
  {
    agent: codex,
    says: 'error',
    pattern:
      /^(?:Warning: [^\n]*\n\s*)*(?<words>exceeded retry limit, last status: \d{3}\b[^\n]*)$/,
  },
  {
    agent: codex,
    says: 'error',
    pattern: /^(?:Warning: [^\n]*\n\s*)*(?<words>unexpected status \d{3} [^\n]*)$/,
  },
  {
    agent: codex,
    says: 'error',
    pattern:
      /^(?:Warning: [^\n]*\n\s*)*(?<words>We[’']re currently experiencing high demand, which may cause temporary errors\.)$/,
  },
  {
    agent: copilot,
    says: 'error',
    pattern: /^(?:Info: [^.\n]*\. Retrying\.\.\.)*(?<words>Error: [45]\d\d [^\n]*)$/,
  },
  {
    agent: copilot,
    says: 'error',
    pattern:
      /^(?:Info: [^.\n]*\. Retrying\.\.\.)*(?<words>Error: (?:Failed to get response from the AI model; retried|Authentication failed with provider at|Could not connect to local model provider at) .*)$/s,
  },
  {
    agent: pi,
    says: 'error',
    pattern: /^(?:Retrying \(attempt \d+\/\d+, waiting \d+s\)\.\.\.)+Retry finished, resuming\.$/,
  },
  {
    agent: null,
    says: 'limit',
    pattern:
      /^\W*(?:(?:Claude(?: AI| Code)? )?(?:usage|session|weekly|\d+-hour|daily) limit reached|you(?:['’]ve| have) (?:hit|reached) your\b[^.]{0,40}\blimit)/i,
  },
]

/** Agents that end without text after a tool call when their model fails. */
const silentOnError: ReadonlySet<string> = new Set([pi])

/** Longer texts are answers. */
const maxChars = 2000

/** Returns the text with which an agent reports `what`; undefined when it is an answer. */
export function notAnAnswer(
  what: Dialect['says'],
  agent: string | null,
  answer: string,
): string | undefined {
  const trimmed = answer.trim()
  if (trimmed.length > maxChars) return undefined
  for (const dialect of dialects) {
    if (dialect.says !== what || (dialect.agent !== null && dialect.agent !== agent)) continue
    const found = dialect.pattern.exec(trimmed)
    if (found) return found.groups?.['words'] ?? trimmed
  }
  return undefined
}

/** Whether the missing text after the last tool call means that the model failed. */
export const endedInSilence = (agent: string | null, answer: string): boolean =>
  answer.trim() === '' && agent !== null && silentOnError.has(agent)

export interface LimitContext {
  readonly now: Instant
  /** IANA time zone for times that name none. */
  readonly zone: string
}

/** A time farther ahead is taken as a misreading. */
const maxMs = 32 * 24 * 3600_000
/** A time of day this recently past means "soon". */
const justNowMs = 3600_000
const soonMs = 60_000
const maxErrorChars = 4000
/** An answer that reports a limit is one sentence. */
const maxAnswer = 400

const limitPattern =
  /\blimits?\b|\bquota\b|\bexhausted\b|\btoo many requests\b|\brate.?limit|\b429\b|\boverloaded\b/i

export function limitInError(words: string, heard: LimitContext): Instant | undefined {
  const sentence = words.slice(0, maxErrorChars)
  return limitPattern.test(sentence) ? resetTimeIn(sentence, heard) : undefined
}

export const limitInAnswer = (words: string, heard: LimitContext): Instant | undefined =>
  words.length <= maxAnswer && notAnAnswer('limit', null, words) !== undefined
    ? limitInError(words, heard)
    : undefined

function resetTimeIn(text: string, heard: LimitContext): Instant | undefined {
  const now = epochMs(heard.now)
  const at = timestampIn(text) ?? delayIn(text, now) ?? clockTimeIn(text, heard)
  return at !== undefined && at > now && at - now <= maxMs ? instant(at) : undefined
}

/** `limit reached|1766502000`, and RFC 3339 times. */
function timestampIn(text: string): number | undefined {
  const [, seconds] = /\|\s*(\d{10})\b/.exec(text) ?? []
  if (seconds !== undefined) return Number(seconds) * 1000
  const [written] =
    /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/.exec(text) ?? []
  return written === undefined ? undefined : Date.parse(written)
}

const unitMs: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}
const lead = String.raw`\b(?:again in|retry in|retry[- _]?after|resets? (?:in|after)|retryDelay)["':=\s]*`
const part = String.raw`(\d{1,9}(?:\.\d{1,9})?)\s*(ms|d(?:ays?)?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])`
const waits = new RegExp(`${lead}((?:${part}[\\s,]*){1,4})`, 'i')
const parts = new RegExp(part, 'gi')
/** Seconds, as in HTTP. */
const bareWaits = new RegExp(String.raw`${lead}(\d{1,7})(?![\d\w:.-])`, 'i')

/** `try again in 2 days 17 hours 14 minutes`, `reset after 2h13m21s`, `retry-after: 30`. */
function delayIn(text: string, now: number): number | undefined {
  const [, all = ''] = waits.exec(text) ?? []
  let ms = 0
  for (const [, number, unit = ''] of all.matchAll(parts))
    ms +=
      Number(number) *
      (unitMs[unit.toLowerCase() === 'ms' ? 'ms' : unit.slice(0, 1).toLowerCase()] ?? 0)
  const seconds = ms > 0 ? 0 : Number(bareWaits.exec(text)?.[1] ?? 0)
  return ms + seconds > 0 ? Math.floor(now + ms + seconds * 1000) : undefined
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const wallClock =
  /\b(?:resets?|again|until|renews?)\s*(?:at|on)?\s*(?:([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?,?\s*(?:at )?)?(\d{1,2})(?::(\d\d))?(?::\d\d)?\s*([ap])?\.?m?\b\.?(?:\s*\(([A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*)\))?/i

/** `resets 1:30am (Asia/Dhaka)`, `resets May 5 at 9pm`, `try again at 2:51 PM`. */
function clockTimeIn(text: string, { now, zone }: LimitContext): number | undefined {
  const [whole, month, day, year, hours, minutes, half, named] = wallClock.exec(text) ?? []
  // A number alone is no time of day.
  if (whole === undefined || (minutes === undefined && half === undefined)) return undefined
  try {
    const here = Temporal.Instant.from(now).toZonedDateTimeISO(named ?? zone)
    const pm = half?.toLowerCase() === 'p' ? 12 : 0
    const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + pm
    const plainTime = Temporal.PlainTime.from(
      { hour, minute: Number(minutes ?? 0) },
      { overflow: 'reject' },
    )
    if (month === undefined) return nextTimeOfDay(here, plainTime)
    const index = months.indexOf(month.toLowerCase())
    const date = { year: Number(year ?? here.year), month: index + 1, day: Number(day) }
    const at = Temporal.PlainDate.from(date, { overflow: 'reject' }).toZonedDateTime({
      timeZone: here.timeZoneId,
      plainTime,
    })
    const isPast = year === undefined && at.epochMilliseconds < here.epochMilliseconds
    return (isPast ? at.add({ years: 1 }) : at).epochMilliseconds
  } catch {
    // An invalid time zone or time.
    return undefined
  }
}

function nextTimeOfDay(here: Temporal.ZonedDateTime, time: Temporal.PlainTime): number {
  const today = here.withPlainTime(time)
  const agoMs = here.epochMilliseconds - today.epochMilliseconds
  if (agoMs < 0) return today.epochMilliseconds
  return agoMs < justNowMs
    ? here.epochMilliseconds + soonMs
    : today.add({ days: 1 }).epochMilliseconds
}
