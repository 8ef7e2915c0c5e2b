/**
 * How much of a conversation is still handed to agents (CV1). The archive keeps everything: a history is cut by moving the
 * number after which messages count, never by deleting them. Pure.
 */

export interface History {
  /** Messages up to this number are no longer handed to agents. */
  readonly keptAfter: number
  /** The numbers of those that are, oldest first; the newest `keepLast` + 1 suffice. */
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

/** How long a text is, counted in characters as both databases count them, so that what was added can be taken away again. Pure. */
export function lengthOf(text: string): number {
  if (!/[\uD800-\uDFFF]/.test(text)) return text.length
  let length = 0
  for (const _ of text) length++
  return length
}
