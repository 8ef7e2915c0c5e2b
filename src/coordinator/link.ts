/**
 * The link to the server (CO1, CO6): one WebSocket at a time, opened again with patience whenever it is gone. It carries orders in
 * and facts out and keeps nothing of either; what is to survive is in the spool and with the server.
 *
 * An instance is one life between two fences: whoever is told `fenced` was replaced, ends all it has, and greets as a newcomer.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { OpenCoordinatorRequest } from '../protocol/processes/coordinator-requests.ts'
import {
  type CoordinatorHello,
  type CoordinatorOrders,
  type CoordinatorTake,
  type CoordinatorWelcome,
  type LaunchOffer,
  LaunchOrder,
  type LaunchParticulars,
  linkVersion,
} from '../protocol/processes/link.ts'
import type { ConfigureOrder, CoordinatorTurn, SettledPermission, TurnOrder } from '../protocol/turns/link.ts'
import { FactSender } from './fact-sender.ts'
import { DisconnectedError, LinkConnection, RefusedError, type ServerMessage } from './link-connection.ts'
import type { Spool } from './spool.ts'

const firstPauseMs = 100
const maxPauseMs = 3000
/** Whoever is fenced again and again shares its token with another coordinator; the two must not end each other's agents all day. */
const firstFencedPauseMs = 1000
const maxFencedPauseMs = 600_000

export interface LinkOptions {
  /** Where the server is now; undefined when there is none. */
  readonly find: () => Promise<string | undefined>
  /** Asked for each time: it may have been replaced while the server was away. */
  readonly token: () => Promise<string>
  readonly about: Pick<CoordinatorHello, 'version' | 'machine' | 'bootId' | 'pid' | 'labels' | 'capacity'>
  readonly newInstance: () => string
  /** From 0 up to 1. */
  readonly random: () => number
  readonly spool: Spool
  readonly clock: Clock
  readonly logger: Logger
  readonly onReceived: () => void
  readonly onWelcome: (welcome: CoordinatorWelcome) => void
  readonly onOrders: (orders: CoordinatorOrders) => void
  readonly onOrder: (order: LaunchOrder) => void
  /** A launch that is begun already, as far as the server is concerned, and how to start it. */
  readonly onOffer: (order: LaunchOrder, launch: LaunchParticulars) => void
  readonly onStop: (launchId: string) => void
  readonly onTurn: (order: TurnOrder) => void
  readonly onCancel: (launchId: string, turnId: string) => void
  readonly onSettled: (settled: SettledPermission) => void
  readonly onConfigure: (order: ConfigureOrder) => void
  readonly onRequest: (question: OpenCoordinatorRequest) => void
  /** Resolves when nothing of this instance is left. */
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

  /** Of the server it was last connected to. */
  get url(): string {
    return this.#url
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Something was put into the spool. */
  wake(): void {
    this.#sender?.wake()
  }

  async take(launchId: string): Promise<LaunchParticulars | 'withdrawn'> {
    const ask = (epoch: number): CoordinatorTake => ({ type: 'coordinator:take', launchId, epoch })
    return (await this.#ask(ask, 'launch_withdrawn')) ?? 'withdrawn'
  }

  /** What a turn is about; undefined when it is over. */
  fetchTurn(launchId: string, turnId: string): Promise<TurnOrder | undefined> {
    return this.#ask((epoch): CoordinatorTurn => ({ type: 'coordinator:turn', launchId, turnId, epoch }), 'not_found')
  }

  /** Undefined when the server answers that it is gone. */
  async #ask<Answer>(message: (epoch: number) => { type: string }, gone: string): Promise<Answer | undefined> {
    const [connection, epoch] = [this.#connection, this.#epoch]
    if (!connection || !this.#sender || epoch === null) throw new DisconnectedError('there is no server')
    try {
      return (await connection.ask(message(epoch))) as unknown as Answer
    } catch (error) {
      if (error instanceof RefusedError && error.code === gone) return undefined
      if (error instanceof RefusedError && error.code === 'fenced') this.#fenced()
      throw error
    }
  }

  /** Waits until everything is told, as long as there is a server to tell it, and no longer than `ms`. */
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
      const why = await this.#connectOnce().catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
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

  /** Gives why it is over. */
  async #connectOnce(): Promise<string> {
    const { find, clock, onReceived, about } = this.#options
    const url = await find()
    if (url === undefined || this.#isClosed) return 'there is no server'
    const token = await this.#options.token()
    if (this.#isClosed) return 'closed'
    const connection = new LinkConnection({ url, token, clock, onReceived, onMessage: (message) => this.#receive(message) })
    this.#connection = connection
    await connection.open()
    const hello: CoordinatorHello = {
      type: 'coordinator:hello',
      ...about,
      linkVersion,
      contexts: true,
      instance: this.#instance,
      epoch: this.#epoch,
    }
    try {
      await connection.ask(hello, (welcome) => this.#welcomed(url, connection, welcome as unknown as CoordinatorWelcome))
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
    logger.info({ url, coordinatorId: welcome.coordinatorId, epoch: welcome.epoch }, 'connected to the server')
    const { epoch } = welcome
    const [onFenced, onEmpty] = [() => this.#fenced(), () => this.#onSpoolEmpty()]
    this.#sender = new FactSender({ connection, epoch, spool, clock, logger, onFenced, onEmpty })
    onWelcome(welcome)
  }

  #receive(message: ServerMessage): void {
    const { onOrders, onOrder, onOffer, onStop, onTurn, onCancel, onSettled, onConfigure, onRequest } = this.#options
    if (message.type === 'snapshot') {
      for (const state of Object.values(message['state'] as Record<string, CoordinatorOrders>)) {
        onOrders({ ...state, launches: state.launches.map((each) => LaunchOrder.parse(each)) })
      }
      this.#sender?.begin()
      return
    }
    if (message.type === 'coordinator:offer') {
      const { order, launch } = message as unknown as LaunchOffer
      return onOffer(LaunchOrder.parse(order), launch)
    }
    if (message.type !== 'event') return
    const { type, data } = message['event'] as { type: string; data: Record<string, unknown> }
    if (type === 'launch-ordered') onOrder(LaunchOrder.parse(data['order']))
    else if (type === 'stop-ordered') onStop(String(data['launchId']))
    else if (type === 'turn-ordered') onTurn(data as unknown as TurnOrder)
    else if (type === 'cancel-ordered') onCancel(String(data['launchId']), String(data['turnId']))
    else if (type === 'configure-ordered') onConfigure(data as unknown as ConfigureOrder)
    else if (type === 'permission-settled') onSettled(data as unknown as SettledPermission)
    else if (type === 'question-asked') onRequest(data as unknown as OpenCoordinatorRequest)
  }

  #fenced(): void {
    this.#isFenced = true
    this.#connection?.terminate()
  }

  async #restartAfterFence(): Promise<void> {
    const { onFenced, spool, newInstance, clock, logger } = this.#options
    logger.warn({ epoch: this.#epoch }, 'another has taken over from this coordinator; ending what it started')
    await onFenced()
    // Of launches that the server has given up; they are its successor's to tell of.
    spool.clear()
    this.#instance = newInstance()
    this.#epoch = null
    this.#isFenced = false
    if (clock.now() - this.#welcomedAt > maxFencedPauseMs) this.#fences = 0
    await this.#pause(firstFencedPauseMs, maxFencedPauseMs, this.#fences++)
  }

  /** The same trouble is said once. */
  #logDisconnect(why: string): void {
    if (why === this.#lastDisconnectReason) return
    this.#lastDisconnectReason = why
    this.#options.logger.warn({ why }, 'not connected to the server; trying again and again')
  }

  /** Twice as long each time, and spread, so that many coordinators do not come back at once. */
  #pause(firstMs: number, maxMs: number, attempt: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const ms = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30)) * (0.5 + this.#options.random() / 2)
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}
