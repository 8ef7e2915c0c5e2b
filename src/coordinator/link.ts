/**
 * The link to the server (CO1, CO6): one WebSocket at a time, reopened with backoff. It receives
 * orders and sends facts and stores neither; they live in the spool and on the server.
 *
 * An instance is one life between two fences: one that is told `fenced` was replaced, ends all it
 * has, and registers anew.
 */

import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { OpenCoordinatorRequest } from '../protocol/processes/coordinator-requests.ts'
import {
  type CoordinatorCredential,
  type CoordinatorHello,
  type CoordinatorHolds,
  type CoordinatorOrders,
  type CoordinatorSignIn,
  type CoordinatorWelcome,
  type LaunchBegun,
  type LaunchParticulars,
  linkVersion,
} from '../protocol/processes/link.ts'
import type {
  ConfigureOrder,
  CoordinatorTurn,
  SettledPermission,
  TurnOrder,
} from '../protocol/turns/link.ts'
import {
  DisconnectedError,
  LinkConnection,
  RefusedError,
  type ServerMessage,
} from './link-connection.ts'
import { FactSender, type Spool } from './spool.ts'

const firstPauseMs = 100
const maxPauseMs = 3000
/**
 * Backoff after being fenced. Two coordinators that share a token must not end each other's agents
 * all day.
 */
const firstFencedPauseMs = 1000
const maxFencedPauseMs = 600_000

export interface LinkOptions {
  /** Finds the server's address; undefined when none runs. */
  readonly find: () => Promise<string | undefined>
  /** Read at every attempt, because the token may have been replaced. */
  readonly token: () => Promise<string>
  readonly about: Pick<
    CoordinatorHello,
    'version' | 'machine' | 'bootId' | 'pid' | 'labels' | 'capacity'
  >
  readonly newInstance: () => string
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  readonly spool: Spool
  readonly clock: Clock
  readonly logger: Logger
  readonly onReceived: () => void
  readonly onWelcome: (welcome: CoordinatorWelcome) => void
  readonly onOrders: (orders: CoordinatorOrders) => void
  /** The server has begun it. */
  readonly onBegin: (launch: LaunchParticulars) => void
  /** The launches that it has. */
  readonly holds: () => string[]
  readonly onStop: (launchId: string) => void
  readonly onTurn: (order: TurnOrder) => void
  readonly onCancel: (launchId: string, turnId: string) => void
  readonly onSettled: (settled: SettledPermission) => void
  readonly onConfigure: (order: ConfigureOrder) => void
  readonly onRequest: (request: OpenCoordinatorRequest) => void
  /** Resolves when everything of this instance has ended. */
  readonly onFenced: () => Promise<void>
}

export class Link {
  readonly #options: LinkOptions
  #instance: string
  #epoch: number | null = null
  #url = ''
  #connection: LinkConnection | undefined
  #sender: FactSender | undefined
  #isClosed = false
  #isFenced = false
  #fences = 0
  #welcomedAt = 0
  #attempt = 0
  #wake = (): void => {}
  #onSpoolEmpty = (): void => {}
  #lastDisconnectReason = ''
  #running: Promise<void> | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#instance = options.newInstance()
  }

  get url(): string {
    return this.#url
  }

  start(): void {
    this.#running ??= this.#run()
  }

  wake(): void {
    this.#sender?.wake()
  }

  fetchTurn(launchId: string, turnId: string): Promise<TurnOrder | undefined> {
    return this.#ask(
      (epoch): CoordinatorTurn => ({ type: 'coordinator:turn', launchId, turnId, epoch }),
      'not_found',
    )
  }

  /** LD7: null where there is none for the host. */
  async fetchCredential(step: { landingId: string; n: number }) {
    const found = await this.#ask<CoordinatorCredential>(
      (epoch): CoordinatorSignIn => ({ type: 'coordinator:sign-in', ...step, epoch }),
      'not_found',
    )
    return found?.credential ?? null
  }

  /** Undefined when the server answers with the error `gone`. */
  async #ask<Answer>(
    message: (epoch: number) => { type: string },
    gone: string,
  ): Promise<Answer | undefined> {
    const [connection, epoch] = [this.#connection, this.#epoch]
    if (!connection || !this.#sender || epoch === null)
      throw new DisconnectedError('there is no server')
    try {
      return (await connection.ask(message(epoch))) as unknown as Answer
    } catch (error) {
      if (error instanceof RefusedError && error.code === gone) return undefined
      if (error instanceof RefusedError && error.code === 'fenced') this.#fenced()
      throw error
    }
  }

  /** Waits until all facts are sent, at most `ms`, and only while connected. */
  async flush(ms: number): Promise<void> {
    const { spool, clock } = this.#options
    if (spool.isEmpty || !this.#sender || !this.#connection) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onSpoolEmpty = resolve
    const cancel = clock.after(ms, resolve)
    this.#sender.wake()
    await Promise.race([promise, this.#connection.closed])
    cancel()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    this.#sender?.stop()
    await this.#connection?.close()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const why = await this.#connectOnce().catch((error: unknown) =>
        error instanceof Error ? error.message : String(error),
      )
      this.#sender?.stop()
      this.#sender = undefined
      this.#connection = undefined
      if (this.#isFenced) await this.#restartAfterFence()
      else if (!this.#isClosed) {
        this.#logDisconnect(why)
        await this.#pause(firstPauseMs, maxPauseMs, this.#attempt++)
      }
    }
  }

  /** Returns the reason for the end of the connection. */
  async #connectOnce(): Promise<string> {
    const { find, clock, onReceived, about } = this.#options
    const url = await find()
    if (url === undefined || this.#isClosed) return 'there is no server'
    const token = await this.#options.token()
    if (this.#isClosed) return 'closed'
    const connection = new LinkConnection({
      url,
      token,
      clock,
      onReceived,
      onMessage: (message) => this.#receive(message),
    })
    this.#connection = connection
    await connection.open()
    const life = { instance: this.#instance, epoch: this.#epoch }
    const hello: CoordinatorHello = {
      type: 'coordinator:hello',
      ...about,
      linkVersion,
      threads: true,
      ...life,
    }
    try {
      await connection.ask(hello, (welcome) =>
        this.#welcomed(url, connection, welcome as unknown as CoordinatorWelcome),
      )
    } catch (error) {
      if (error instanceof RefusedError && error.code === 'fenced') this.#isFenced = true
      connection.terminate()
      throw error
    }
    return connection.closed
  }

  #welcomed(url: string, connection: LinkConnection, welcome: CoordinatorWelcome): void {
    const { spool, clock, logger, onWelcome } = this.#options
    this.#url = url
    this.#epoch = welcome.epoch
    this.#attempt = 0
    this.#welcomedAt = clock.now()
    this.#lastDisconnectReason = ''
    spool.acknowledge(welcome.lastFact)
    logger.info(
      { url, coordinatorId: welcome.coordinatorId, epoch: welcome.epoch },
      'connected to the server',
    )
    const { epoch } = welcome
    const [onFenced, onEmpty] = [() => this.#fenced(), () => this.#onSpoolEmpty()]
    this.#sender = new FactSender({ connection, epoch, spool, clock, logger, onFenced, onEmpty })
    onWelcome(welcome)
  }

  #receive(message: ServerMessage): void {
    const { onOrders, onBegin, onStop, onTurn, onCancel, onSettled, onConfigure, onRequest } =
      this.#options
    if (message.type === 'snapshot') {
      for (const state of Object.values(message['state'] as Record<string, CoordinatorOrders>)) {
        onOrders(state)
      }
      this.#tellWhatItHolds()
      this.#sender?.begin()
      return
    }
    if (message.type === 'coordinator:offer')
      return onBegin((message as unknown as LaunchBegun).launch)
    if (message.type !== 'event') return
    const { type, data } = message['event'] as { type: string; data: Record<string, unknown> }
    if (type === 'stop-ordered') onStop(String(data['launchId']))
    else if (type === 'turn-ordered') onTurn(data as unknown as TurnOrder)
    else if (type === 'cancel-ordered') onCancel(String(data['launchId']), String(data['turnId']))
    else if (type === 'configure-ordered') onConfigure(data as unknown as ConfigureOrder)
    else if (type === 'permission-settled') onSettled(data as unknown as SettledPermission)
    else if (type === 'question-asked') onRequest(data as unknown as OpenCoordinatorRequest)
  }

  #tellWhatItHolds(): void {
    const launchIds = this.#options.holds()
    const holds: CoordinatorHolds = { type: 'coordinator:holds', launchIds }
    this.#connection?.send(holds)
  }

  #fenced(): void {
    this.#isFenced = true
    this.#connection?.terminate()
  }

  async #restartAfterFence(): Promise<void> {
    const { onFenced, spool, newInstance, clock, logger } = this.#options
    logger.warn({ epoch: this.#epoch }, 'another coordinator took over; ending all agents')
    await onFenced()
    // These launches were given up by the server. The successor reports them.
    spool.clear()
    this.#instance = newInstance()
    this.#epoch = null
    this.#isFenced = false
    if (clock.now() - this.#welcomedAt > maxFencedPauseMs) this.#fences = 0
    await this.#pause(firstFencedPauseMs, maxFencedPauseMs, this.#fences++)
  }

  #logDisconnect(why: string): void {
    if (why === this.#lastDisconnectReason) return
    this.#lastDisconnectReason = why
    this.#options.logger.warn({ why }, 'not connected to the server; retrying')
  }

  /**
   * Waits with exponential backoff and jitter, so that coordinators do not reconnect all at once.
   */
  #pause(firstMs: number, maxMs: number, attempt: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const ms =
      Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30)) * (0.5 + this.#options.random() / 2)
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** A set of ids that drops the oldest when it is full. Used to ignore repeated orders. */
export class RecentIds extends Set<string> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override add(id: string): this {
    if (this.size >= this.#max) this.delete(this.values().next().value ?? '')
    return super.add(id)
  }
}
