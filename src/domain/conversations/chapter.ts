/**
 * The chapters of a conversation, one for each logical day with messages (DC2). At most one is
 * open:
 *
 *   none ──first message──▶ open ──its day is over and no turn runs──▶ closed      (the next message opens another)
 *
 * Days of chapters never go back, whatever a clock or a setting does: what comes after a closed
 * chapter is of its day or a later one, and when it is of the same day, it is the same chapter gone
 * on. Pure.
 */
import { type Instant, instant } from '../instant.ts'
import { maxSummaryChars, shortened } from './messages.ts'
import { besidesText, lineEnds } from './senders.ts'

// The logical day of a conversation (DC1). It begins at the boundary hour in a time zone; earlier
// times belong to the day before. The only file that handles time zones. Pure. A boundary hour that
// a day skips is where the clock goes on; one that comes twice is the first of the two. A date that
// a zone left out has no time of its own, and nothing belongs to it. So boundaries never go back,
// and every moment has exactly one day.

/** A date in RFC 3339, `2026-11-15`. Such strings sort by time. */
export type Day = string

export interface CutoverRule {
  /** 0 to 23; null: days are not closed. */
  readonly hour: number | null
  /** An IANA name. */
  readonly timezone: string
}

const usualHour = 4

export const usualRule: CutoverRule = { hour: usualHour, timezone: 'Asia/Tokyo' }

/** The time a day begins. */
export const boundaryOf = ({ hour, timezone }: CutoverRule, day: Day): Instant =>
  instant(boundaryMs(hour, timezone, day))

/** The time a day ends, when its chapters are due (DC2). */
export const endOf = (rule: CutoverRule, day: Day): Instant => boundaryOf(rule, dayAfter(day))

/** The day a time belongs to. */
export function logicalDay({ hour, timezone }: CutoverRule, at: Instant): Day {
  const ms = Date.parse(at)
  let day: Day = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .toString()
  while (boundaryMs(hour, timezone, day) > ms) day = dayBefore(day)
  while (boundaryMs(hour, timezone, dayAfter(day)) <= ms) day = dayAfter(day)
  return day
}

/** The local time of day, `09:05`. */
export const clockTime = ({ timezone }: CutoverRule, at: Instant): string =>
  Temporal.Instant.from(at)
    .toZonedDateTimeISO(timezone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' })

export const dayAfter = (day: Day): Day => Temporal.PlainDate.from(day).add({ days: 1 }).toString()
export const dayBefore = (day: Day): Day =>
  Temporal.PlainDate.from(day).subtract({ days: 1 }).toString()

/** The form used in names of notes, `20261115`. */
const compactDay = (day: Day): string => day.replaceAll('-', '')

/** Parses `20261115` or `2026-11-15`; undefined for invalid dates. */
export function parseDay(text: string): Day | undefined {
  const [, year, month, date] = /^(\d{4})-?(\d{2})-?(\d{2})$/.exec(text) ?? []
  const day = `${year}-${month}-${date}`
  try {
    return Temporal.PlainDate.from(day, { overflow: 'reject' }).toString() === day ? day : undefined
  } catch {
    return undefined
  }
}

/** Where days are not closed, they are named by the default hour. */
const boundaryMs = (hour: number | null, timeZone: string, day: Day): number =>
  Temporal.PlainDate.from(day).toZonedDateTime({ timeZone, plainTime: { hour: hour ?? usualHour } })
    .epochMilliseconds

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

/** Characters shown of a message; the store has all of it. */
const maxMessageChars = 1000

/**
 * Renders the note of a day as Markdown (DC3): front matter, heading, links to the neighbouring
 * days, and a section for each conversation. Message text is quoted line by line, so that it cannot
 * end its section or begin another. Pure.
 */
export interface NoteHead {
  readonly day: Day
  /** The part of each conversation's key before the colon. */
  readonly channels: readonly string[]
  readonly conversations: number
  readonly messages: number
}

export interface NoteSection {
  readonly key: string
  readonly summary: string
  readonly messageCount: number
  /** The first and the last messages of the day; all when there are few. */
  readonly first: readonly NotedMessage[]
  readonly last: readonly NotedMessage[]
}

export interface NotedMessage {
  readonly role: string
  /** Named where several people or agents have the same role. */
  readonly sender?: string | undefined
  readonly content: string
  readonly toolCalls: unknown
  readonly media: unknown
  readonly createdAt: Instant
}

/** Path below the folder of notes. */
export const notePathOf = (day: Day): { folder: string; file: string } => ({
  folder: compactDay(day).slice(0, 6),
  file: `${compactDay(day)}.md`,
})

export function noteHead({ day, channels, conversations, messages }: NoteHead): string {
  const tags = [
    'daily-note',
    ...channels.filter((channel) => tagName.test(channel)).map((channel) => `channel/${channel}`),
  ]
  return [
    '---',
    `date: ${day}`,
    `channels: ${list(channels)}`,
    `conversations: ${conversations}`,
    `messages: ${messages}`,
    `tags: ${list(tags)}`,
    '---',
    '',
    `# ${day}`,
    '',
    `[[${compactDay(dayBefore(day))}]] · [[${compactDay(dayAfter(day))}]]`,
    '',
  ].join('\n')
}

export interface NoteSummary {
  /** Conversations that have a summary. */
  readonly conversations: readonly { readonly key: string; readonly summary: string }[]
  readonly done: readonly string[]
  readonly decided: readonly string[]
  readonly left: readonly string[]
}

const maxSummaryLines = 50
const maxSummaryLineChars = 300

/**
 * What a day came to, before what was said on it; empty when there is nothing to say. Each text
 * stays in its line.
 */
export function noteSummary({ conversations, done, decided, left }: NoteSummary): string {
  const summaries = conversations.map(({ key, summary }) => `**${key}**: ${inOneLine(summary)}`)
  const parts = [
    ['## Summary', summaries],
    ['### Done', done.map(inOneLine)],
    ['### Decided', decided.map(inOneLine)],
    ['### Left', left.map(inOneLine)],
  ] as const
  const isEmpty = parts.every(([, lines]) => lines.length === 0)
  return isEmpty
    ? ''
    : `\n${parts.flatMap(([title, lines], nth) => listed(title, lines, nth === 0)).join('\n\n')}\n`
}

function listed(title: string, lines: readonly string[], always: boolean): string[] {
  if (lines.length === 0) return always ? [title] : []
  const more = lines.length > maxSummaryLines ? [`- … ${lines.length - maxSummaryLines} more`] : []
  return [
    title,
    [...lines.slice(0, maxSummaryLines).map((line) => `- ${line}`), ...more].join('\n'),
  ]
}

/** A session of the day, in which nothing is closed: it goes on. */
export interface NotedThread {
  readonly key: string
  readonly projectId: string | null
  readonly title: string
  /** Those that had turns on the day. */
  readonly agents: readonly string[]
  readonly turns: number
}

/** One line for each session of a day, with the address of its page; empty when there is none. */
export function noteThreads(threads: readonly NotedThread[]): string {
  if (threads.length === 0) return ''
  const lines = threads.map(({ key, projectId, title, agents, turns }) => {
    const name = plainName(title) || key
    const page = `/projects/${encodeURIComponent(projectId ?? '')}/session/${encodeURIComponent(key)}`
    const named = projectId === null ? name : `[${name}](${page})`
    return `- ${named} · ${agents.map(plainName).join(', ')} · ${turns} ${turns === 1 ? 'turn' : 'turns'}`
  })
  return `\n## Sessions\n\n${lines.join('\n')}\n`
}

const inOneLine = (text: string): string =>
  shortened(
    text.split(lineEnds).join(' ').replaceAll(unprintable, '\ufffd').trim(),
    maxSummaryLineChars,
  )

export function noteSection(
  { key, summary, messageCount, first, last }: NoteSection,
  rule: CutoverRule,
): string {
  const parts = [`## ${key}`, `${messageCount} ${messageCount === 1 ? 'message' : 'messages'}`]
  if (summary.trim() !== '') parts.push('**Summary**', quoted(shortened(summary, maxSummaryChars)))
  const left = messageCount - first.length - last.length
  for (const message of first) parts.push(...notedLines(message, rule))
  if (left > 0) parts.push(`*${left} more ${left === 1 ? 'message' : 'messages'} in between*`)
  for (const message of last) parts.push(...notedLines(message, rule))
  return `\n${parts.join('\n\n')}\n`
}

/** Characters that Obsidian accepts in a tag. */
const tagName = /^[\p{L}\p{N}_-]*\p{L}[\p{L}\p{N}_-]*$/u

/** As JSON, which is valid YAML. */
const list = (words: readonly string[]): string =>
  `[${words.map((word) => JSON.stringify(word)).join(', ')}]`

const notedLines = (message: NotedMessage, rule: CutoverRule): string[] => {
  const { role, sender, content, createdAt } = message
  const besides = besidesText(message)
  const words = content.trim() === '' ? '' : quoted(shortened(content, maxMessageChars))
  const who = sender === undefined ? '' : ` · ${plainName(sender)}`
  return [
    `**${clockTime(rule, createdAt)} ${role}**${who}${besides === '' ? '' : ` (${besides})`}`,
    words,
  ].filter(Boolean)
}

/** Without what Markdown would read as more than a name. */
const plainName = (name: string): string => inOneLine(name).replaceAll(/[\\`*_[\]<>#|]/g, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f]/g

const quoted = (text: string): string =>
  text
    .split(lineEnds)
    .map((line) => `> ${line.replaceAll(unprintable, '\ufffd')}`.trimEnd())
    .join('\n')
