/**
 * Runs use cases, each in its own transaction or in a shared one (group-commit.ts). A use case is
 * run again when its run was abandoned to lock more streams (log/run-use-case.ts), when another
 * writer came first, or when the connection was lost before the COMMIT. After an unanswered COMMIT
 * only a use case with a receipt is run again: if the first run committed, its receipt is found.
 * Otherwise the caller is told that the outcome is unknown.
 */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { ReplayedRandomness } from '../log/replayed-randomness.ts'
import {
  lockOrder,
  maxRuns,
  type Outcome,
  runUseCase,
  StreamsDiscovered,
} from '../log/run-use-case.ts'
import type { ReceiptKey, UseCase } from '../store.ts'
import { isUnavailable, isWriteRetryable, OutcomeUnknown } from './failures.ts'
import { GroupCommit, type Request } from './group-commit.ts'
import type { PostgresPool } from './pool.ts'
import type { ServerTime } from './server-time.ts'
import { LockCache, StreamLocks } from './stream-locks.ts'
import { WriteTransaction } from './write-transaction.ts'

/** The most runs of a use case that meets streams it does not hold; then `busy`. Two are usual. */
const maxRunsToDiscover = 8

/** Refusals that leave open what became of an earlier run. */
const transientRefusals = new Set(['busy', 'store_unavailable', 'shutting_down'])

export class UseCaseRunner {
  readonly figures = { commits: 0, useCases: 0, refused: 0, retried: 0, abandoned: 0 }
  readonly #pool: PostgresPool
  readonly #time: ServerTime
  readonly #turns = new StreamQueues()
  readonly #locks = new StreamLocks()
  readonly #lockCache = new LockCache()
  readonly #group: GroupCommit

  constructor(pool: PostgresPool, time: ServerTime) {
    this.#pool = pool
    this.#time = time
    const runAlone = (request: Request<unknown>): Promise<Outcome<unknown>> =>
      this.#runAlone(request)
    this.#group = new GroupCommit({
      pool,
      time,
      locks: this.#locks,
      runAlone,
      figures: this.figures,
    })
  }

  async run<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt?: ReceiptKey,
  ): Promise<Outcome<Output>> {
    const knownStreams = [
      ...(useCase.streams?.(input) ?? []),
      ...this.#lockCache.guess(useCase, input),
    ]
    const streams = lockOrder(knownStreams)
    const random = new ReplayedRandomness()
    try {
      const request = { useCase, input, receipt, streams, random } as Request<Output>
      const outcome = await this.#untilDone(request)
      this.figures.useCases++
      if (outcome.asked) this.#lockCache.committed(useCase, input, outcome.asked)
      return outcome
    } catch (error) {
      if (error instanceof Refusal) this.figures.refused++
      throw error
    }
  }

  async #untilDone<Output>(request: Request<Output>): Promise<Outcome<Output>> {
    let { streams } = request
    let doubt: OutcomeUnknown | undefined
    let abandoned = 0
    let failed = 0
    for (;;) {
      try {
        return await this.#inTurn({ ...request, streams }, abandoned + failed === 0)
      } catch (error) {
        if (error instanceof StreamsDiscovered) {
          if (++abandoned === maxRunsToDiscover) throw giveUp(error, doubt, request.useCase.name)
          streams = lockOrder([...streams, ...error.streams])
          this.figures.abandoned++
          continue
        }
        if (error instanceof OutcomeUnknown) doubt = error
        const again = doubt
          ? request.receipt !== undefined && !(error instanceof Refusal)
          : isWriteRetryable(error) || isUnavailable(error)
        if (!again || ++failed === maxRuns) throw giveUp(error, doubt, request.useCase.name)
        this.figures.retried++
        // A short id that was drawn may be taken.
        request.random.forget()
      }
    }
  }

  /** Runs it once, in its places in the queues of its streams. */
  async #inTurn<Output>(request: Request<Output>, isFirst: boolean): Promise<Outcome<Output>> {
    const { streams } = request
    // Shares a transaction only when its streams exist and are free on this node. Housekeeping has
    // no streams.
    const shares =
      isFirst && streams.length > 0 && this.#locks.knows(streams) && this.#turns.takeIfFree(streams)
    if (!shares) await this.#turns.take(streams)
    try {
      const shared = shares ? await this.#group.run(request) : undefined
      return shared ?? (await this.#runAlone(request))
    } finally {
      this.#turns.give(streams)
    }
  }

  async #runAlone<Output>(request: Request<Output>): Promise<Outcome<Output>> {
    const { useCase, input, receipt, streams, random } = request
    const connection = await this.#pool.acquire()
    const transaction = new WriteTransaction(connection, this.#time, this.#locks)
    try {
      const job = { input, receipt, now: this.#time.now() }
      const options = { streams, random: random.replay() }
      const outcome = await runUseCase(transaction, useCase, job, options)
      await transaction.commit()
      this.figures.commits++
      return outcome
    } catch (error) {
      transaction.rollback()
      throw error
    } finally {
      this.#pool.release(connection)
    }
  }
}

function giveUp(error: unknown, doubt: OutcomeUnknown | undefined, name: string): unknown {
  // A refusal of the second run is the answer; any other failure leaves the first run's outcome
  // open.
  const answered = error instanceof Refusal && !transientRefusals.has(error.code)
  if (doubt && !answered) return doubt
  if (error instanceof StreamsDiscovered)
    return new Refusal(
      'busy',
      refusalText('streamsMoved', { what: name, count: maxRunsToDiscover }),
    )
  return isWriteRetryable(error)
    ? new Refusal('busy', refusalText('metOthers', { what: name, count: maxRuns }))
    : error
}

const atATime = 2

/**
 * Queues the use cases of this node by stream before they take a connection. PostgreSQL's locks
 * make decisions serial; the queues keep one busy stream from filling the pool with waiting
 * connections. Two use cases are admitted at a time: the second waits for the lock while the first
 * commits.
 */
class StreamQueues {
  readonly #streams = new Map<StreamName, { taken: number; waiting: (() => void)[] }>()

  /** Waits for admission to each stream, always in the same order, so no deadlock is possible. */
  async take(streams: readonly StreamName[]): Promise<void> {
    for (const stream of streams) {
      const turns = this.#streams.get(stream) ?? { taken: 0, waiting: [] }
      this.#streams.set(stream, turns)
      if (turns.taken < atATime) turns.taken++
      else await new Promise<void>((resolve) => turns.waiting.push(resolve))
    }
  }

  /** Takes all streams if none of them is in use. */
  takeIfFree(streams: readonly StreamName[]): boolean {
    for (const stream of streams) if (this.#streams.has(stream)) return false
    for (const stream of streams) this.#streams.set(stream, { taken: 1, waiting: [] })
    return true
  }

  give(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      const turns = this.#streams.get(stream)
      const next = turns?.waiting.shift()
      // Admits the use case that waited longest.
      if (next) next()
      else if (turns && --turns.taken === 0) this.#streams.delete(stream)
    }
  }
}
