/**
 * Sends what is spooled over one connection, one message at a time: news as soon as the last was taken, what agents write 50 ms after
 * it at the earliest, and an empty message when nothing happened for a beat, so that the coordinator is heard of (CO6). A fact is
 * forgotten when its number is acknowledged. Nothing is sent before `begin`.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { type CoordinatorFacts, type CoordinatorTaken, heartbeatMs, type LinkFact } from '../protocol/processes/link.ts'
import { type LinkConnection, RefusedError } from './link-connection.ts'
import type { Spool } from './spool.ts'

const batchEveryMs = 50
const retryAfterMs = 1000
/** What the server says of a message that it will never take. */
const malformed = new Set([400, 413])

export interface FactSenderOptions {
  readonly connection: LinkConnection
  readonly epoch: number
  readonly spool: Spool
  readonly clock: Clock
  readonly logger: Logger
  readonly onFenced: () => void
  /** Every fact there is has been taken. */
  readonly onEmpty: () => void
}

export class FactSender {
  readonly #options: FactSenderOptions
  #sentAt = Number.NEGATIVE_INFINITY
  #hasBegun = false
  #isSending = false
  #isStopped = false
  /** The server did not take the last message, and is left alone for a while. */
  #isRefused = false
  /** Fewer while one of them is refused, until it is found. */
  #maxFacts = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined
  #cancelHeartbeat: (() => void) | undefined

  constructor(options: FactSenderOptions) {
    this.#options = options
  }

  /** It knows its orders, and says so, if only by an empty message: from now on it may be offered what is ordered (CO4). */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    void this.#send()
  }

  /** There may be something to send. */
  wake(): void {
    const { clock, spool } = this.#options
    if (!this.#hasBegun || this.#isSending || this.#isStopped || this.#isRefused || spool.isEmpty) return
    // What happens in one turn of the loop, such as a place and the process in it, is one message and one commit.
    if (spool.hasNews) setImmediate(() => this.#send())
    else if (!this.#cancel) this.#schedule(Math.min(batchEveryMs, Math.max(0, this.#sentAt + batchEveryMs - clock.now())))
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel?.()
    this.#cancelHeartbeat?.()
  }

  #schedule(ms: number): void {
    this.#cancel?.()
    this.#cancel = this.#options.clock.after(ms, () => this.#send())
  }

  #scheduleHeartbeat(): void {
    this.#cancelHeartbeat?.()
    this.#cancelHeartbeat = this.#options.clock.after(heartbeatMs, () => {
      if (!this.#isSending) void this.#send()
      this.#scheduleHeartbeat()
    })
  }

  async #send(): Promise<void> {
    const { connection, epoch, spool, clock, onEmpty } = this.#options
    if (this.#isStopped || this.#isSending) return
    this.#isSending = true
    this.#isRefused = false
    this.#cancel?.()
    this.#cancel = undefined
    this.#sentAt = clock.now()
    this.#scheduleHeartbeat()
    const facts = spool.batch().slice(0, this.#maxFacts)
    const message: CoordinatorFacts = { type: 'coordinator:facts', epoch, facts }
    try {
      const { through } = (await connection.ask(message)) as unknown as CoordinatorTaken
      spool.acknowledge(through)
      this.#maxFacts = Number.POSITIVE_INFINITY
      this.#isSending = false
      if (spool.isEmpty) onEmpty()
      else this.wake()
    } catch (error) {
      this.#isSending = false
      if (error instanceof RefusedError) this.#refused(error, facts)
    }
  }

  #refused(error: RefusedError, facts: readonly LinkFact[]): void {
    const { onFenced, logger, spool } = this.#options
    if (error.code === 'fenced') return onFenced()
    logger.warn({ code: error.code, facts: facts.length, error: error.message }, 'the server does not take these facts')
    if (malformed.has(error.status) && facts.length > 0) {
      const [first] = facts
      if (facts.length > 1) this.#maxFacts = Math.floor(facts.length / 2)
      // RE9: one that cannot be told must not silence the others.
      else if (first) spool.drop(first.n)
    }
    this.#isRefused = true
    this.#schedule(retryAfterMs)
  }
}
