/**
 * Rules about messages: which agents they are unread for, summaries, and how long texts are cut.
 * Pure.
 */
import type { ProjectSettings } from '../projects/settings.ts'

// Summaries of long conversations (NA9). Agents no longer receive the messages a summary covers.
// The archive keeps them, and messages that no agent has seen cannot be covered. Pure.

/** A limit, because each summary contains the one before and would grow. */
export const maxSummaryChars = 20_000

export interface Summarised {
  readonly summary: string
  /** Messages up to this number are covered by the summary; 0 when none are. */
  readonly summaryThrough: number
  /** Agents no longer receive messages up to this number. */
  readonly keptAfter: number
  /** Characters of messages that agents receive and the summary does not cover. */
  readonly unsummarisedChars: number
}

export interface NewSummary {
  readonly summary: string
  readonly throughSeq: number
}

export interface SummaryFacts {
  /** The newest message that an agent has seen: the one before the oldest undelivered one. */
  readonly seenThrough: number
  /** Characters of the received messages after `summaryThrough` up to `throughSeq`. */
  readonly coveredChars: number
}

export interface SummaryRefusal {
  readonly code: 'invalid_request'
  readonly detail: string
}

export const isSummaryDue = (
  { unsummarisedChars }: Summarised,
  settings: ProjectSettings,
): boolean => unsummarisedChars > Number(settings['chat.summarize_after_chars'])

/** The same number again replaces the text, so a repeated call is harmless (AS8). */
export function setSummary(
  current: Summarised,
  { summary, throughSeq }: NewSummary,
  { seenThrough, coveredChars }: SummaryFacts,
): { changed: Summarised } | { refused: SummaryRefusal } {
  if (!Number.isInteger(throughSeq) || throughSeq < current.summaryThrough)
    return refused(
      `through_seq: a whole number from ${current.summaryThrough}, where the summary so far ends`,
    )
  if (throughSeq > seenThrough)
    return refused(`through_seq: at most ${seenThrough}; later messages were not read yet`)
  return {
    changed: {
      summary,
      summaryThrough: throughSeq,
      keptAfter: Math.max(current.keptAfter, throughSeq),
      unsummarisedChars: Math.max(0, current.unsummarisedChars - coveredChars),
    },
  }
}

const refused = (detail: string): { refused: SummaryRefusal } => ({
  refused: { code: 'invalid_request', detail },
})

// Shortens a text and says how much is missing. Pure.

/** Cuts between grapheme clusters, never inside one. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  let end = 0
  for (const { index, segment } of graphemes.segment(text.slice(0, max + 100))) {
    if (index + segment.length > max) break
    end = index + segment.length
  }
  return `${text.slice(0, end).toWellFormed()}… (${text.length - end} more characters)`
}

/** Created on first use, because it takes 14 ms. */
let graphemes: Intl.Segmenter | undefined

/**
 * The part of a conversation that agents receive (CV1). Truncating moves a number and deletes
 * nothing. Pure.
 */
export interface History {
  /** Agents no longer receive messages up to this number. */
  readonly keptAfter: number
  /** Numbers of the messages they receive, oldest first; the newest `keepLast` + 1 suffice. */
  readonly kept: readonly number[]
}

export interface HistoryRefusal {
  readonly code: 'invalid_request'
  readonly field: 'keepLast'
  readonly detail: string
}

/** Keeps the newest `keepLast` messages; 0 clears. */
export function truncateHistory(
  { keptAfter, kept }: History,
  keepLast: number,
): { keptAfter: number } | { refused: HistoryRefusal } {
  if (!Number.isSafeInteger(keepLast) || keepLast < 0)
    return {
      refused: {
        code: 'invalid_request',
        field: 'keepLast',
        detail: 'keepLast: a whole number, not negative',
      },
    }
  return { keptAfter: kept.at(-1 - keepLast) ?? keptAfter }
}

/** The length of a text in characters, as both databases count them, so that sums stay correct. */
export function lengthOf(text: string): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}

// Which agents a message is unread for (NA7, CH2), and its priority (CH6). Pure.

/** The receiver, or all of the project's agents but the sender; none if the message is hidden. */
export function unreadFor(
  message: {
    readonly senderId: string
    readonly receiverId: string | null
    readonly visible: boolean
  },
  agentIds: readonly string[],
): string[] {
  if (!message.visible) return []
  return agentIds.filter(
    (id) => id !== message.senderId && (message.receiverId === null || message.receiverId === id),
  )
}

interface OrderedMessage {
  readonly role: string
  readonly createdAt: string
  /** When the turn that it answers in began. */
  readonly begunAt?: string | null | undefined
}

/**
 * Puts each answer in front of what people wrote while it was being given, which its agent did not
 * know then. Oldest first.
 */
export function inReadingOrder<Item extends OrderedMessage>(messages: readonly Item[]): Item[] {
  const ordered: Item[] = []
  for (const message of messages) {
    const { begunAt } = message
    const before = begunAt
      ? ordered.findLastIndex(({ role, createdAt }) => role !== 'user' || createdAt <= begunAt)
      : -2
    ordered.splice(before === -2 ? ordered.length : before + 1, 0, message)
  }
  return ordered
}

/** From the least to the most urgent. */
export const priorities = ['low', 'normal', 'high', 'urgent'] as const
export type Priority = (typeof priorities)[number]

/** A number that grows with urgency, for rows and indexes. */
export const rankOf = (priority: Priority): number => priorities.indexOf(priority)

const latinPerToken = 4
const lastLatin = 0x2ff

/**
 * Estimates the tokens of a text: one for four Latin letters, one for any other character. Mostly
 * an overestimate. Pure.
 */
export function estimateTokens(text: string): number {
  let latin = 0
  let others = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) <= lastLatin) latin++
    else others++
  }
  return Math.ceil(latin / latinPerToken) + others
}

/** The beginning of a text within a token limit, with an ellipsis if it was cut. */
export function cutToTokens(text: string, tokens: number): string {
  if (tokens <= 1) return estimateTokens(text) <= tokens ? text : ''
  if (estimateTokens(text) <= tokens) return text
  let spent = 1
  let at = 0
  for (; at < text.length; at++) {
    spent += text.charCodeAt(at) <= lastLatin ? 1 / latinPerToken : 1
    if (spent > tokens) break
  }
  return `${text
    .slice(0, at)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`
}
