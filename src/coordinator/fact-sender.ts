/**
 * Sends spooled facts over one connection, one message at a time: events at once, agent output at most every 50 ms, and an empty
 * message as a heartbeat (CO6). A fact is dropped when its number is acknowledged. Sends nothing before `begin`.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { type CoordinatorFacts, type CoordinatorTaken, heartbeatMs, type LinkFact } from '../protocol/processes/link.ts'
import { type LinkConnection, RefusedError } from './link-connection.ts'
import type { Spool } from './spool.ts'

const batchEveryMs = 50
const retryAfterMs = 1000
/** Statuses of messages that the server will never accept. */
const malformed = new Set([400, 413])

export interface FactSenderOptions {
  readonly connection: LinkConnection
  readonly epoch: number
  readonly spool: Spool
  readonly clock: Clock
  readonly logger: Logger
  readonly onFenced: () => void
  /** Called when every fact is acknowledged. */
  readonly onEmpty: () => void
}

export class FactSender {
  readonly #options: FactSenderOptions
  #sentAt = Number.NEGATIVE_INFINITY
  #hasBegun = false
  #isSending = false
  #isStopped = false
  /** The last message was refused; wait before the next. */
  #isRefused = false
  /** Halved while a message is refused, until the bad fact is found. */
  #maxFacts = Number.POSITIVE_INFINITY
  #cancel: (() => void) | undefined
  #cancelHeartbeat: (() => void) | undefined

  constructor(options: FactSenderOptions) {
    this.#options = options
  }

  /**
   * Starts sending. The first message, even if empty, tells the server that the orders are known and launches can be offered
   * (CO4).
   */
  begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    void this.#send()
  }

  /** Sends soon if there is anything to send. */
  wake(): void {
    const { clock, spool } = this.#options
    if (!this.#hasBegun || this.#isSending || this.#isStopped || this.#isRefused || spool.isEmpty) return
    // Facts of one event-loop turn share a message and a commit.
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
      // RE9: a fact that cannot be sent must not block the others.
      else if (first) spool.drop(first.n)
    }
    this.#isRefused = true
    this.#schedule(retryAfterMs)
  }
}
