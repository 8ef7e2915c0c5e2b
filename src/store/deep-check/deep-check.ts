/**
 * Looks through everything a store holds and says what does not fit together: streams that are not dense, copies that stand
 * for nothing, state that is not what the events say, receipts that cannot be read,
 * messages that search has lost. Reads one snapshot, page by page; it
 * changes nothing, and what it finds it only tells.
 */

import type { Reader } from '../store.ts'
import { denseStreams, eventCopies, keptReceipts } from './events.ts'
import { searchableMessages } from './searchable-messages.ts'
import { stateOfHome } from './state-of-home.ts'

export interface Finding {
  readonly check: 'integrity' | 'streams' | 'copies' | 'state' | 'receipts' | 'search'
  /** Which row: a stream and number, a table and id. */
  readonly where: string
  readonly what: string
}

export type Check = (reader: Reader) => AsyncGenerator<Finding>

/** Of one check; the rest is counted as one. */
const maxPerCheck = 100

/** What every engine is checked for; an engine's own integrity comes before it. */
export async function* deepCheck(reader: Reader, integrity?: Check): AsyncGenerator<Finding> {
  const checks = [...(integrity ? [integrity] : []), denseStreams, eventCopies, stateOfHome, keptReceipts, searchableMessages]
  for (const check of checks) {
    let found = 0
    for await (const finding of check(reader)) {
      if (found++ < maxPerCheck) yield finding
      else {
        yield { check: finding.check, where: '…', what: `and more; only the first ${maxPerCheck} are told` }
        break
      }
    }
  }
}
