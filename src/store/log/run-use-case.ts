/**
 * Runs a use case inside one transaction, the same on every engine: receipt, locks, decision, events, receipt. The engine's driver
 * opens the transaction and commits or rolls back.
 */
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { randomness as random } from '../../platform/secrets/randomness.ts'
import { machineTimeZone as timeZone } from '../../platform/time/local-zone.ts'
import type { NewEvent } from '../../protocol/events.ts'
import type { WritingEngine } from '../engine.ts'
import {
  type ChangedRow,
  type NewRow,
  newRow,
  rowStatement,
  type SomeColumns,
  type Table,
} from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { bind, type Statement } from '../statement.ts'
import type { ReceiptKey, Tx, UseCase } from '../store.ts'
import { EngineReader } from './reader.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from './receipts.ts'

/**
 * The `tx` of a use case. Reads and writes go to the engine; events are numbered in memory from the locked heads and written when
 * the use case has ended. So numbers are known inside the use case, and a rollback leaves no gap.
 */
class Transaction extends EngineReader implements Tx {
  readonly #writing: WritingEngine
  readonly #now: Instant
  readonly #heads: Map<StreamName, number>
  readonly #moved = new Map<StreamName, number>()
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

  update<Name extends Table>(table: Name, row: ChangedRow<Name>): Promise<void> {
    return this.write(rowStatement.update(table), row)
  }

  change<Name extends Table>(table: Name, given: SomeColumns<Name>): Promise<void> {
    return this.write(rowStatement.change(table, given), given)
  }

  delete<Name extends Table>(table: Name, values: Partial<Tables[Name]>): Promise<void> {
    return this.write(rowStatement.delete(table, values), values)
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
    if (this.#heads.has(stream)) throw new Error(`${stream} has begun already`)
    // A new stream has a new name. If it existed after all, its first event would violate the key.
    this.#heads.set(stream, 0)
  }

  flush(): void | Promise<void> {
    const events = this.#events
    this.#events = []
    if (events.length > 0) return this.#writing.append(events, this.#moved)
  }

  get moved(): ReadonlyMap<StreamName, number> {
    return this.#moved
  }

  #next(stream: StreamName): number {
    const head = this.#moved.get(stream) ?? this.#heads.get(stream)
    // A programming error: without the lock two transactions could assign the same number.
    if (head === undefined)
      throw new Error(`The use case appends to ${stream} but did not name it in streams()`)
    this.#moved.set(stream, head + 1)
    return head + 1
  }
}

export interface Outcome<Output> {
  readonly answer: Output
  /** The heads of the streams that moved, for the doorbell after the commit. */
  readonly heads: ReadonlyMap<StreamName, number>
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

/** Sorts the streams of a use case: all use cases lock in the same order, so no deadlock is possible. */
export function lockOrder<Input>(
  useCase: UseCase<Input, unknown>,
  input: Input,
): readonly StreamName[] {
  const streams = useCase.streams(input)
  return streams.length < 2 ? streams : [...new Set(streams)].sort()
}

export async function runUseCase<Input, Output>(
  engine: WritingEngine,
  useCase: UseCase<Input, Output>,
  job: Job<Input>,
): Promise<Outcome<Output>> {
  const { receipt } = job
  // Requested together: PostgreSQL answers both in one round trip, and reads the receipt after the locks. SQLite returns values,
  // and awaiting those would cost as much as the read.
  const locking = engine.lockStreams(lockOrder(useCase, job.input))
  const [locked, kept] = receipt
    ? await Promise.all([locking, readReceipt(new EngineReader(engine), receipt)])
    : [locking instanceof Promise ? await locking : locking, undefined]
  const now = locked.now ?? job.now
  if (receipt && kept && isValid(kept, now))
    return { answer: answerIn(kept, receipt) as Output, heads: nothingMoved }
  const tx = new Transaction(engine, now, locked.heads)
  const answer = await useCase.run(tx, job.input, { now, timeZone, random })
  if (receipt)
    await keepReceipt(tx, receipt, {
      answer,
      secret: useCase.answersSecret === true,
      now,
      outlived: kept !== undefined,
    })
  const written = tx.flush()
  if (written) await written
  return { answer, heads: tx.moved }
}
