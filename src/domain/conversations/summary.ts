/**
 * Summaries of long conversations (NA9). Agents no longer receive the messages a summary covers. The archive keeps them, and
 * messages that no agent has seen cannot be covered. Pure.
 */
import type { ProjectSettings } from '../projects/settings.ts'

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

export const isSummaryDue = ({ unsummarisedChars }: Summarised, settings: ProjectSettings): boolean =>
  unsummarisedChars > Number(settings['chat.summarize_after_chars'])

/** The same number again replaces the text, so a repeated call is harmless (AS8). */
export function setSummary(
  current: Summarised,
  { summary, throughSeq }: NewSummary,
  { seenThrough, coveredChars }: SummaryFacts,
): { changed: Summarised } | { refused: SummaryRefusal } {
  if (!Number.isInteger(throughSeq) || throughSeq < current.summaryThrough)
    return refused(`through_seq: a whole number from ${current.summaryThrough}, where the summary so far ends`)
  if (throughSeq > seenThrough) return refused(`through_seq: at most ${seenThrough}; later messages were not read yet`)
  return {
    changed: {
      summary,
      summaryThrough: throughSeq,
      keptAfter: Math.max(current.keptAfter, throughSeq),
      unsummarisedChars: Math.max(0, current.unsummarisedChars - coveredChars),
    },
  }
}

const refused = (detail: string): { refused: SummaryRefusal } => ({ refused: { code: 'invalid_request', detail } })
