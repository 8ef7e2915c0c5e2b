/**
 * The part of a conversation that agents receive (CV1). Truncating moves the number after which messages count, and deletes
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
    return { refused: { code: 'invalid_request', field: 'keepLast', detail: 'keepLast: a whole number, not negative' } }
  return { keptAfter: kept.at(-1 - keepLast) ?? keptAfter }
}

/** The length of a text in characters, as both databases count them, so that sums stay correct. */
export function lengthOf(text: string): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}
