/**
 * Runs use cases, each in its own transaction or in a shared one (group-commit.ts), and again when another writer came first or the
 * connection was lost before the COMMIT. After an unanswered COMMIT only a use case with a receipt is run again: if the first run
 * committed, its receipt is found. Otherwise the caller is told that the outcome is unknown.
 */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { lockOrder, maxRuns, type Outcome, runUseCase } from '../log/run-use-case.ts'
import type { ReceiptKey, UseCase } from '../store.ts'
import { isUnavailable, isWriteRetryable, OutcomeUnknown } from './failures.ts'
import { GroupCommit, type Request } from './group-commit.ts'
import type { PostgresPool } from './pool.ts'
import type { ServerTime } from './server-time.ts'
import { StreamLocks } from './stream-locks.ts'
import { WriteTransaction } from './write-transaction.ts'

/** Refusals that leave open what became of an earlier run. */
const transientRefusals = new Set(['busy', 'store_unavailable', 'shutting_down'])

export class UseCaseRunner {
  readonly figures = { commits: 0, useCases: 0, refused: 0, retried: 0 }
  readonly #pool: PostgresPool
  readonly #time: ServerTime
  readonly #turns = new StreamQueues()
  readonly #locks = new StreamLocks()
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
    const streams = lockOrder(useCase, input)
    const request = { useCase, input, receipt } as Request<Output>
    // Shares a transaction only when its streams exist and are free on this node. Housekeeping has no streams.
    const shares =
      streams.length > 0 && this.#locks.knows(streams) && this.#turns.takeIfFree(streams)
    if (!shares) await this.#turns.take(streams)
    try {
      const outcome = await this.#untilDone(request, shares)
      this.figures.useCases++
      return outcome
    } catch (error) {
      if (error instanceof Refusal) this.figures.refused++
      throw error
    } finally {
      this.#turns.give(streams)
    }
  }

  async #untilDone<Output>(request: Request<Output>, shares: boolean): Promise<Outcome<Output>> {
    let doubt: OutcomeUnknown | undefined
    for (let run = 1; ; run++) {
      try {
        const shared = run === 1 && shares ? await this.#group.run(request) : undefined
        return shared ?? (await this.#runAlone(request))
      } catch (error) {
        if (error instanceof OutcomeUnknown) doubt = error
        const again = doubt
          ? request.receipt !== undefined && !(error instanceof Refusal)
          : isWriteRetryable(error) || isUnavailable(error)
        if (!again || run === maxRuns) throw giveUp(error, doubt, request.useCase.name)
        this.figures.retried++
      }
    }
  }

  async #runAlone<Output>({ useCase, input, receipt }: Request<Output>): Promise<Outcome<Output>> {
    const connection = await this.#pool.acquire()
    const transaction = new WriteTransaction(connection, this.#time, this.#locks)
    try {
      const outcome = await runUseCase(transaction, useCase, {
        input,
        receipt,
        now: this.#time.now(),
      })
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
  // A refusal of the second run is the answer; any other failure leaves the first run's outcome open.
  const answered = error instanceof Refusal && !transientRefusals.has(error.code)
  if (doubt && !answered) return doubt
  return isWriteRetryable(error)
    ? new Refusal('busy', refusalText('metOthers', { what: name, count: maxRuns }))
    : error
}

const atATime = 2

/**
 * Queues the use cases of this node by stream before they take a connection. PostgreSQL's locks make decisions serial; the queues
 * keep one busy stream from filling the pool with waiting connections. Two use cases are admitted at a time: the second waits for
 * the lock while the first commits.
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
