/**
 * Group commit: use cases that wait at the same time share one transaction, with one statement for
 * their locks, concurrent reads and one COMMIT. A use case does not wait for others; a group
 * consists of those that arrived while earlier transactions ran. A group locks only free streams
 * (`skip locked`), so it never waits for another node and cannot deadlock. A use case that cannot
 * share a transaction is run alone, and so is one that met streams it did not name. No result, not
 * even a refusal, is returned before the COMMIT is answered.
 */
import { performance } from 'node:perf_hooks'
import type { StreamName } from '../../domain/stream-name.ts'
import type { ReplayedRandomness } from '../log/replayed-randomness.ts'
import { type Outcome, runUseCase } from '../log/run-use-case.ts'
import type { ReceiptKey, UseCase } from '../store.ts'
import { OutcomeUnknown } from './failures.ts'
import { GroupLimitExceeded, GroupMember, StreamLockedElsewhere } from './group-member.ts'
import type { PostgresPool } from './pool.ts'
import type { ServerTime } from './server-time.ts'
import type { StreamLocks } from './stream-locks.ts'
import { WriteTransaction } from './write-transaction.ts'

const maxGroupSize = 64
/** The most transactions under way before new use cases wait. */
const maxTransactions = 2
/** The longest wait for them; then another transaction is started if a connection is free. */
const slowMs = 3
/** The number of runs a use case is kept alone after it delayed a group. */
const runsAlone = 100

export interface Request<Output> {
  readonly useCase: UseCase<unknown, Output>
  readonly input: unknown
  readonly receipt: ReceiptKey | undefined
  /** What this run locks before it begins, in lock order. */
  readonly streams: readonly StreamName[]
  readonly random: ReplayedRandomness
}

interface Waiting extends Request<unknown> {
  readonly since: number
  readonly done: (outcome: Outcome<unknown> | undefined) => void
  readonly failed: (error: unknown) => void
}

export interface GroupOptions {
  readonly pool: PostgresPool
  readonly time: ServerTime
  readonly locks: StreamLocks
  readonly runAlone: (request: Request<unknown>) => Promise<Outcome<unknown>>
  readonly figures: { commits: number; retried: number }
}

export class GroupCommit {
  readonly #options: GroupOptions
  readonly #waiting: Waiting[] = []
  #underWay = 0
  #scheduled = false
  #slow: NodeJS.Timeout | undefined
  /** The remaining runs alone, by use case. */
  readonly #alone = new Map<string, number>()

  constructor(options: GroupOptions) {
    this.#options = options
  }

  /**
   * Returns undefined when the use case must be run alone; nothing was written then. No other
   * member has its streams. Rejects with StreamsDiscovered as a run alone does, but after the
   * group's commit, which frees what the member has locked.
   */
  run<Output>(request: Request<Output>): Promise<Outcome<Output> | undefined> {
    if (this.#mustBeAlone(request.useCase.name)) return Promise.resolve(undefined)
    return new Promise((resolve, failed) => {
      this.#waiting.push({
        ...request,
        since: performance.now(),
        done: resolve as Waiting['done'],
        failed,
      })
      this.#schedule()
    })
  }

  #mustBeAlone(name: string): boolean {
    const left = this.#alone.get(name)
    if (left === undefined) return false
    if (left > 1) this.#alone.set(name, left - 1)
    else this.#alone.delete(name)
    return true
  }

  /** Starts the first group at once, later ones at the end of this turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    if (this.#underWay >= maxTransactions) return this.#waitForSlow()
    this.#scheduled = true
    if (this.#underWay === 0) queueMicrotask(this.#startNext)
    else setImmediate(this.#startNext)
  }

  readonly #startNext = (): void => {
    this.#scheduled = false
    void this.#start(this.#waiting.splice(0, this.#size))
    this.#schedule()
  }

  /**
   * Transactions under way may wait themselves, so a use case that has waited long enough starts
   * another one.
   */
  #waitForSlow(): void {
    this.#slow ??= setTimeout(() => {
      this.#slow = undefined
      const [oldest] = this.#waiting
      if (oldest && performance.now() - oldest.since >= slowMs) this.#startNext()
      else this.#schedule()
    }, slowMs)
  }

  /**
   * Splits the waiting use cases over the free transactions: PostgreSQL commits one while another
   * is being decided.
   */
  get #size(): number {
    return Math.min(
      Math.ceil(this.#waiting.length / Math.max(1, maxTransactions - this.#underWay)),
      maxGroupSize,
    )
  }

  async #start(group: readonly Waiting[]): Promise<void> {
    this.#underWay++
    const [only] = group
    if (only && group.length === 1) await this.#options.runAlone(only).then(only.done, only.failed)
    else await this.#runTogether(group)
    this.#underWay--
    this.#schedule()
  }

  async #runTogether(group: readonly Waiting[]): Promise<void> {
    const { pool, time, locks, figures } = this.#options
    const connection = await pool.acquire().catch((error: unknown) => {
      for (const { failed } of group) failed(error)
    })
    if (!connection) return
    const transaction = new WriteTransaction(connection, time, locks)
    try {
      const settled = await this.#decide(group, transaction)
      await transaction.commit()
      figures.commits++
      for (const settle of settled) settle()
    } catch (error) {
      transaction.rollback()
      // Running each alone shows which one failed; but a commit that may have happened must not be
      // repeated.
      const isUnknown = error instanceof OutcomeUnknown
      if (!isUnknown) figures.retried += group.length
      for (const { done, failed } of group) isUnknown ? failed(error) : done(undefined)
    } finally {
      pool.release(connection)
    }
  }

  /** Runs all use cases and writes their results; returns the callbacks for after the commit. */
  async #decide(group: readonly Waiting[], transaction: WriteTransaction): Promise<(() => void)[]> {
    const { time } = this.#options
    const locking = transaction.lockFree(group.flatMap(({ streams }) => streams))
    const members = group.map(() => new GroupMember(transaction, locking))
    const now = time.now()
    const decided = await Promise.allSettled(
      group.map(({ useCase, input, receipt, streams, random }, at) => {
        const job = { input, receipt, now }
        const options = { streams, random: random.replay() }
        return runUseCase(members[at] as GroupMember, useCase, job, options)
      }),
    )
    const written: GroupMember[] = []
    const settled = group.map(({ useCase, done, failed }, at) => {
      const member = members[at] as GroupMember
      const result = decided[at] as PromiseSettledResult<Outcome<unknown>>
      if (result.status === 'fulfilled') {
        written.push(member)
        return () => done(result.value)
      }
      const { reason } = result
      if (reason instanceof GroupLimitExceeded || member.hasSent)
        this.#alone.set(useCase.name, runsAlone)
      if (member.hasSent) throw reason
      return reason instanceof StreamLockedElsewhere || reason instanceof GroupLimitExceeded
        ? () => done(undefined)
        : () => failed(reason)
    })
    for (const member of written) await member.send()
    await transaction.append(
      written.flatMap(({ events }) => events),
      new Map(written.flatMap(({ moved }) => [...moved])),
    )
    return settled
  }
}
