/**
 * Checks everything a store holds for consistency: dense streams, copies that point to an event,
 * state that matches the events, readable receipts, indexed messages. Reads one snapshot page by
 * page, reports findings and changes nothing.
 */

import type { Reader } from '../store.ts'
import { conversationColumns } from './conversation-columns.ts'
import { denseStreams, eventCopies, keptReceipts } from './events.ts'
import { searchableMessages } from './searchable-messages.ts'
import { stateOfHome } from './state-of-home.ts'
import { stateOfReviews } from './state-of-reviews.ts'
import { stateOfThreads } from './state-of-threads.ts'

export interface Finding {
  readonly check: 'integrity' | 'streams' | 'copies' | 'state' | 'receipts' | 'search'
  /** The row: a stream and number, or a table and id. */
  readonly where: string
  readonly what: string
}

export type Check = (reader: Reader) => AsyncGenerator<Finding>

/** The most findings of one check; the rest are reported as one. */
const maxPerCheck = 100

/** Runs the checks common to all engines, after the engine's own integrity check. */
export async function* deepCheck(reader: Reader, integrity?: Check): AsyncGenerator<Finding> {
  const checks = [
    ...(integrity ? [integrity] : []),
    denseStreams,
    eventCopies,
    stateOfHome,
    conversationColumns,
    stateOfThreads,
    stateOfReviews,
    keptReceipts,
    searchableMessages,
  ]
  for (const check of checks) {
    let found = 0
    for await (const finding of check(reader)) {
      if (found++ < maxPerCheck) yield finding
      else {
        yield {
          check: finding.check,
          where: '…',
          what: `and more; only the first ${maxPerCheck} are told`,
        }
        break
      }
    }
  }
}
