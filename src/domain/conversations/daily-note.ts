/**
 * Renders the note of a day as Markdown (DC3): front matter, heading, links to the neighbouring days, and a section for each
 * conversation. Message text is quoted line by line, so that it cannot end its section or begin another. Pure.
 */
import type { Instant } from '../instant.ts'
import { type CutoverRule, clockTime, compactDay, type Day, dayAfter, dayBefore } from './chapter.ts'
import { maxSummaryChars, shortened } from './summary.ts'

/** Characters shown of a message; the store has all of it. */
const maxMessageChars = 1000

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
  const tags = ['daily-note', ...channels.filter((channel) => tagName.test(channel)).map((channel) => `channel/${channel}`)]
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

export function noteSection({ key, summary, messageCount, first, last }: NoteSection, rule: CutoverRule): string {
  const parts = [`## ${key}`, `${messageCount} ${messageCount === 1 ? 'message' : 'messages'}`]
  if (summary.trim() !== '') parts.push('**Summary**', quoted(shortened(summary, maxSummaryChars)))
  const left = messageCount - first.length - last.length
  for (const message of first) parts.push(...told(message, rule))
  if (left > 0) parts.push(`*${left} more ${left === 1 ? 'message' : 'messages'} in between*`)
  for (const message of last) parts.push(...told(message, rule))
  return `\n${parts.join('\n\n')}\n`
}

/** Characters that Obsidian accepts in a tag. */
const tagName = /^[\p{L}\p{N}_-]*\p{L}[\p{L}\p{N}_-]*$/u

/** As JSON, which is valid YAML. */
const list = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`

const told = ({ role, content, toolCalls, media, createdAt }: NotedMessage, rule: CutoverRule): string[] => {
  const besides = [...toolNames(toolCalls), ...(Array.isArray(media) && media.length > 0 ? [`${media.length} media`] : [])]
  const words = content.trim() === '' ? '' : quoted(shortened(content, maxMessageChars))
  return [`**${clockTime(rule, createdAt)} ${role}**${besides.length > 0 ? ` (${besides.join(', ')})` : ''}`, words].filter(
    Boolean,
  )
}

function toolNames(toolCalls: unknown): string[] {
  if (!Array.isArray(toolCalls)) return []
  return toolCalls.map((call) => {
    const name: unknown = call?.function?.name ?? call?.name
    return `calls ${typeof name === 'string' && /^[\w.-]{1,100}$/.test(name) ? name : 'a tool'}`
  })
}

/** Splits at every character that some reader treats as a line end, so that each line is quoted. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const lineEnds = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f]/g

const quoted = (text: string): string =>
  text
    .split(lineEnds)
    .map((line) => `> ${line.replaceAll(unprintable, '\ufffd')}`.trimEnd())
    .join('\n')
