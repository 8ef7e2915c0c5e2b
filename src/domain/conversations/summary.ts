/**
 * Summaries of long conversations (NA9). What a summary covers is no longer handed to agents; nothing leaves the archive, and
 * nothing that an agent has not seen can be covered. Pure.
 */
import type { ProjectSettings } from '../projects/settings.ts'

/** It is told to every process that takes the conversation up, and to whoever writes the next one: if it could grow, it would with each. */
export const maxSummaryChars = 20_000

export interface Summarised {
  readonly summary: string
  /** Messages up to this number are covered by the summary; 0 when none are. */
  readonly summaryThrough: number
  /** Messages up to this number are no longer handed to agents. */
  readonly keptAfter: number
  /** The length of what is handed to agents and not covered. */
  readonly unsummarisedChars: number
}

export interface NewSummary {
  readonly summary: string
  readonly throughSeq: number
}

export interface SummaryFacts {
  /** The newest message that an agent has seen: the one before the oldest it was not handed yet. */
  readonly seenThrough: number
  /** The length of the messages after `summaryThrough` and up to `throughSeq` that are handed to agents. */
  readonly coveredChars: number
}

export interface SummaryRefusal {
  readonly code: 'invalid_request'
  readonly detail: string
}

export const isSummaryDue = ({ unsummarisedChars }: Summarised, settings: ProjectSettings): boolean =>
  unsummarisedChars > Number(settings['chat.summarize_after_chars'])

/** The same number again replaces the text: a repeated call is harmless (AS8). */
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
