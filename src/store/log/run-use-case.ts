/**
 * Runs a use case inside one transaction, the same on every engine: locks, receipt, decision,
 * events, receipt. The engine's driver opens the transaction and commits or rolls back.
 *
 * Decisions about a stream are serial: who decides about it holds its lock until the commit. Nobody
 * says beforehand which streams a use case needs; it is run, and asks for them (`tx.lock`,
 * `tx.append`). A run is in one of two modes.
 *
 * - **Holding.** It begins with the locks of all streams that are known: the hint (`streams`), what
 *   the last commit of the same kind locked (`lockCacheKey`), what earlier runs asked for. They
 *   were locked in the order of their names before the first read, so no two use cases can wait for
 *   each other. To ask for a stream that is held costs nothing. A run that ends in this mode is
 *   committed, or refused: everything it has read, it has read under all its locks.
 * - **Abandoned.** It asked for a stream it does not hold. To lock it now could meet somebody who
 *   waits for us, and what was read so far may be stale. So the run will not count, and goes on
 *   only to find the other streams: it reads, but writes nothing (`DiscoveringEngine`), the numbers
 *   of its events are made up, and what it answers or throws is ignored. It leaves this mode by
 *   ending, by a statement that writes and returns rows, or after `maxReadsWithoutStream` reads
 *   that found nothing. Then it throws `StreamsDiscovered`, is rolled back, and the use case is run
 *   again, holding these streams too.
 *
 * On SQLite only one transaction runs, so a stream is locked whenever it is asked for and no run is
 * abandoned. On PostgreSQL postgres/use-case-runner.ts runs again: at most `maxRunsToDiscover`
 * times, then `busy`. The set of streams only grows, so two runs are usual and four were never
 * seen. In a group (postgres/group-commit.ts) an abandoned member leaves with the group's commit,
 * and its next run is alone. What a run drew at random is replayed in the next
 * (replayed-randomness.ts), so that a stream named by a new id is found again; not after a
 * conflict, where a short id may be taken. A receipt is looked up in each run, after the locks.
 */
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { machineTimeZone as timeZone } from '../../platform/time/local-zone.ts'
import type { NewEvent } from '../../protocol/events.ts'
import { isSelect, type Row, type WritingEngine } from '../engine.ts'
import { type NewRow, newRow, rowStatement, type SomeColumns, type Table } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { bind, type RunnableQuery, type Statement } from '../statement.ts'
import type { Randomness, ReceiptKey, Tx, UseCase } from '../store.ts'
import { EngineReader } from './reader.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from './receipts.ts'

/**
 * The most reads of an abandoned run without a new stream. It does not see its own writes, so it
 * may loop.
 */
const maxReadsWithoutStream = 32

class DiscoveryEnded extends Error {}

/** What an abandoned run goes on with: reads are executed, writes are not. */
class DiscoveringEngine implements WritingEngine {
  readonly dialect
  readonly #engine: WritingEngine
  #reads = 0

  constructor(engine: WritingEngine) {
    this.dialect = engine.dialect
    this.#engine = engine
  }

  execute(query: RunnableQuery): Row[] | Promise<Row[]> {
    if (!isSelect(query.sql) || ++this.#reads > maxReadsWithoutStream) throw new DiscoveryEnded()
    return this.#engine.execute(query)
  }

  lockAnother(): undefined {
    this.#reads = 0
  }

  lockStreams(): never {
    throw new Error('an abandoned run locks nothing')
  }

  write(): void {}

  append(): void {}
}

/** A run met streams that it did not hold; the use case must be run again with all of these. */
export class StreamsDiscovered extends Error {
  readonly streams: readonly StreamName[]

  constructor(streams: readonly StreamName[]) {
    super('more streams must be locked')
    this.streams = streams
  }
}

/**
 * The `tx` of a use case. Reads and writes go to the engine; events are numbered in memory from the
 * locked heads and written when the use case has ended. So numbers are known inside the use case,
 * and a rollback leaves no gap.
 */
class Transaction extends EngineReader implements Tx {
  #writing: WritingEngine
  readonly #now: Instant
  readonly #heads: Map<StreamName, number>
  readonly #moved = new Map<StreamName, number>()
  #begun: Set<StreamName> | undefined
  /** The streams that were asked for, without those begun. */
  readonly #asked = new Set<StreamName>()
  #discovered: Set<StreamName> | undefined
  #events: Tables['events'][] = []

  constructor(engine: WritingEngine, now: Instant, heads: Map<StreamName, number>) {
    super(engine)
    this.#writing = engine
    this.#now = now
    this.#heads = heads
  }

  async write<Params>(statement: Statement<Params, unknown>, params: Params): Promise<void> {
    const sent = this.#writing.write(bind(this.#writing.dialect, statement, params))
    if (sent) await sent
  }

  insert<Name extends Table>(table: Name, row: NewRow<Name>): Promise<void> {
    return this.write(rowStatement.insert(table), newRow(table, row))
  }

  put<Name extends Table>(table: Name, row: NewRow<Name>): Promise<void> {
    return this.write(rowStatement.put(table), newRow(table, row))
  }

  update<Name extends Table>(table: Name, given: SomeColumns<Name>): Promise<void> {
    return this.write(rowStatement.update(table, given), given)
  }

  delete<Name extends Table>(table: Name, values: Partial<Tables[Name]>): Promise<void> {
    return this.write(rowStatement.delete(table, values), values)
  }

  lock(...streams: readonly StreamName[]): void {
    for (const stream of streams) this.#headOf(stream)
  }

  append(
    stream: StreamName,
    made: NewEvent | ((seq: number) => NewEvent),
    also: readonly StreamName[] = [],
  ): number {
    const seq = this.#next(stream)
    const event = typeof made === 'function' ? made(seq) : made
    const data = JSON.stringify(event.data)
    this.#events.push({
      stream,
      seq,
      type: event.type,
      at: this.#now,
      data,
      ref_stream: null,
      ref_seq: null,
    })
    for (const copy of also) {
      this.#events.push({
        stream: copy,
        seq: this.#next(copy),
        type: event.type,
        at: this.#now,
        data: null,
        ref_stream: stream,
        ref_seq: seq,
      })
    }
    return seq
  }

  begin(stream: StreamName): void {
    // A new stream has a new name. If it existed after all, its first event would violate the key.
    if (this.#heads.has(stream)) return
    this.#heads.set(stream, 0)
    this.#begun ??= new Set()
    this.#begun.add(stream)
  }

  flush(): void | Promise<void> {
    const events = this.#events
    this.#events = []
    if (events.length > 0) return this.#writing.append(events, this.#moved)
  }

  get moved(): ReadonlyMap<StreamName, number> {
    return this.#moved
  }

  get asked(): ReadonlySet<StreamName> {
    return this.#asked
  }

  throwIfAbandoned(): void {
    if (this.#discovered) throw new StreamsDiscovered([...this.#discovered])
  }

  #next(stream: StreamName): number {
    const seq = (this.#moved.get(stream) ?? this.#headOf(stream)) + 1
    this.#moved.set(stream, seq)
    return seq
  }

  /** The head of a stream as the transaction found it; the stream is locked from now on. */
  #headOf(stream: StreamName): number {
    if (!this.#begun?.has(stream)) this.#asked.add(stream)
    return this.#heads.get(stream) ?? this.#lockAnother(stream)
  }

  #lockAnother(stream: StreamName): number {
    const head = this.#writing.lockAnother(stream)
    if (head === undefined) {
      this.#discovered ??= this.#abandon()
      this.#discovered.add(stream)
    }
    this.#heads.set(stream, head ?? 0)
    return head ?? 0
  }

  #abandon(): Set<StreamName> {
    this.#writing = new DiscoveringEngine(this.#writing)
    this.engine = this.#writing
    return new Set()
  }
}

export interface Outcome<Output> {
  readonly answer: Output
  /** The heads of the streams that moved, for the doorbell after the commit. */
  readonly heads: ReadonlyMap<StreamName, number>
  /** The streams it asked for; undefined when the answer is that of an earlier receipt. */
  readonly asked: ReadonlySet<StreamName> | undefined
}

export interface Job<Input> {
  readonly input: Input
  readonly receipt?: ReceiptKey | undefined
  /** The node's clock; replaced by the engine's own where it has one. */
  readonly now: Instant
}

const nothingMoved: ReadonlyMap<StreamName, number> = new Map()

/** The most runs of a use case whose transaction could not be serialised; then `busy`. */
export const maxRuns = 5

/** Sorts streams: all use cases lock in the same order, so no deadlock is possible. */
export const lockOrder = (streams: readonly StreamName[]): readonly StreamName[] =>
  streams.length < 2 ? streams : [...new Set(streams)].sort()

interface RunOptions {
  /** In lock order; what the input says when left out. */
  readonly streams?: readonly StreamName[]
  readonly random?: Randomness
}

export async function runUseCase<Input, Output>(
  engine: WritingEngine,
  useCase: UseCase<Input, Output>,
  job: Job<Input>,
  { streams = lockOrder(useCase.streams?.(job.input) ?? []), random = randomness }: RunOptions = {},
): Promise<Outcome<Output>> {
  const { receipt } = job
  // Requested together: PostgreSQL answers both in one round trip, and reads the receipt after the
  // locks. SQLite returns values, and awaiting those would cost as much as the read.
  const locking = engine.lockStreams(streams)
  const [locked, receiptBefore] = receipt
    ? await Promise.all([locking, readReceipt(new EngineReader(engine), receipt)])
    : [locking instanceof Promise ? await locking : locking, undefined]
  const now = locked.now ?? job.now
  if (receipt && receiptBefore && isValid(receiptBefore, now)) {
    const answer = answerIn(receiptBefore, receipt) as Output
    return { answer, heads: nothingMoved, asked: undefined }
  }
  const tx = new Transaction(engine, now, locked.heads)
  let answer: Output
  try {
    answer = await useCase.run(tx, job.input, { now, timeZone, random })
  } catch (error) {
    // An abandoned run may have failed because of what it did not lock.
    tx.throwIfAbandoned()
    throw error
  }
  tx.throwIfAbandoned()
  if (receipt)
    await keepReceipt(tx, receipt, {
      answer,
      secret: useCase.answersSecret === true,
      now,
      outlived: receiptBefore !== undefined,
    })
  const written = tx.flush()
  if (written) await written
  return { answer, heads: tx.moved, asked: tx.asked }
}
