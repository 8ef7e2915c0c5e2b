/**
 * Runs a use case inside one transaction, the same on every engine: receipt, locks, decision, events, receipt. The engine's driver
 * opens the transaction and commits or rolls back.
 */
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { machineTimeZone as timeZone } from '../../platform/local-zone.ts'
import { randomness as random } from '../../platform/randomness.ts'
import type { WritingEngine } from '../engine.ts'
import type { ReceiptKey, UseCase } from '../store.ts'
import { EngineReader } from './reader.ts'
import { answerIn, isValid, keepReceipt, readReceipt } from './receipts.ts'
import { Transaction } from './transaction.ts'

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
export function lockOrder<Input>(useCase: UseCase<Input, unknown>, input: Input): readonly StreamName[] {
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
  if (receipt && kept && isValid(kept, now)) return { answer: answerIn(kept, receipt) as Output, heads: nothingMoved }
  const tx = new Transaction(engine, now, locked.heads)
  const answer = await useCase.run(tx, job.input, { now, timeZone, random })
  if (receipt)
    await keepReceipt(tx, receipt, { answer, secret: useCase.answersSecret === true, now, outlived: kept !== undefined })
  const written = tx.flush()
  if (written) await written
  return { answer, heads: tx.moved }
}
