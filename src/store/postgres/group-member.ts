/**
 * One use case among several in one transaction. What it writes is kept back here until it has ended well, so that one that is
 * refused contributes nothing and leaves no hole. Only a question that it asks after it has written sends its writes before
 * that; should it fail then, the whole transaction has to.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { LockedStreams, Row, WritingEngine } from '../engine.ts'
import type { Tables } from '../schema/tables.ts'
import type { RunnableQuery } from '../statement.ts'
import { postgresDialect } from './dialect.ts'
import type { WriteTransaction } from './write-transaction.ts'

/** Questions one use case may ask while others wait for the commit, and writes that are kept back for it. */
const maxReads = 8
const maxBufferedWrites = 50

/** Cannot go with others, this time: somebody else holds one of its streams. */
export class StreamLockedElsewhere extends Error {}
/** Would keep the others waiting for too long. */
export class GroupLimitExceeded extends Error {}

export class GroupMember implements WritingEngine {
  readonly dialect = postgresDialect
  readonly #transaction: WriteTransaction
  readonly #locking: Promise<LockedStreams>
  #kept: RunnableQuery[] = []
  #questions = 0
  events: readonly Tables['events'][] = []
  moved: ReadonlyMap<StreamName, number> = new Map()
  /** Some of its writes have gone out: it cannot fail alone any more. */
  hasSent = false

  /** `locking` has been asked of the transaction before, for all members together. */
  constructor(transaction: WriteTransaction, locking: Promise<LockedStreams>) {
    this.#transaction = transaction
    this.#locking = locking
  }

  async lockStreams(names: readonly StreamName[]): Promise<LockedStreams> {
    const { heads, now } = await this.#locking
    const own = new Map<StreamName, number>()
    for (const name of names) {
      const head = heads.get(name)
      if (head === undefined) throw new StreamLockedElsewhere()
      own.set(name, head)
    }
    return { heads: own, ...(now !== undefined && { now }) }
  }

  async execute(query: RunnableQuery): Promise<Row[]> {
    if (++this.#questions > maxReads) throw new GroupLimitExceeded()
    if (this.#kept.length > 0) {
      this.hasSent = true
      await this.send()
    }
    return this.#transaction.execute(query)
  }

  write(query: RunnableQuery): void {
    if (this.#kept.length >= maxBufferedWrites) throw new GroupLimitExceeded()
    this.#kept.push(query)
  }

  append(events: readonly Tables['events'][], moved: ReadonlyMap<StreamName, number>): void {
    this.events = events
    this.moved = moved
  }

  /** Hands over what it has written, in the order it was written. */
  async send(): Promise<void> {
    const kept = this.#kept
    this.#kept = []
    for (const query of kept) await this.#transaction.write(query)
  }
}
