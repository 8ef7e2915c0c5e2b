/**
 * One use case of a group. Its writes are buffered until it has succeeded, so a refused one leaves
 * nothing behind. A read after a write sends the buffered writes first; if the use case fails after
 * that, or after a statement that writes and returns rows, the whole transaction fails.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import { isSelect, type LockedStreams, type Row, type WritingEngine } from '../engine.ts'
import type { Tables } from '../schema/tables.ts'
import type { RunnableQuery } from '../statement.ts'
import { postgresDialect } from './dialect.ts'
import type { WriteTransaction } from './write-transaction.ts'

/**
 * The most reads of one use case while others wait for the commit, and the most buffered writes.
 */
const maxReads = 8
const maxBufferedWrites = 50

/** Another transaction holds one of its streams; it must be run alone this time. */
export class StreamLockedElsewhere extends Error {}
/** The use case would delay the others for too long. */
export class GroupLimitExceeded extends Error {}

export class GroupMember implements WritingEngine {
  readonly dialect = postgresDialect
  readonly #transaction: WriteTransaction
  readonly #locking: Promise<LockedStreams>
  #kept: RunnableQuery[] = []
  #questions = 0
  events: readonly Tables['events'][] = []
  moved: ReadonlyMap<StreamName, number> = new Map()
  /** Whether some writes were sent: from then on it cannot fail alone. */
  hasSent = false

  /** `locking`: the locks of all members, already requested. */
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

  lockAnother(): undefined {
    this.#kept = []
  }

  async execute(query: RunnableQuery): Promise<Row[]> {
    if (++this.#questions > maxReads) throw new GroupLimitExceeded()
    if (this.#kept.length > 0 || !isSelect(query.sql)) this.hasSent = true
    await this.send()
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

  async send(): Promise<void> {
    const connection = this.#kept
    this.#kept = []
    for (const query of connection) await this.#transaction.write(query)
  }
}
