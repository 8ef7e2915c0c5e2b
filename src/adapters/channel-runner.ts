/**
 * Keeps a channel connected: takes its lease, runs its adapter, reports its state, and restarts it
 * when it fails.
 */
import type { ChannelName } from '../domain/channels/key.ts'
import type { Detail } from '../domain/notices.ts'
import { statusNotice } from '../domain/status-texts.ts'
import type { Logger } from '../platform/log/logger.ts'
import { type Clock, pause } from '../platform/time/clock.ts'
import { holdChannel, recordChannelState } from '../services/channels/hold-channel.ts'
import { findPosition } from '../services/channels/queries.ts'
import { tellMissed } from '../services/channels/send-outgoing.ts'
import { pressButton } from '../services/flows/channels/press-button.ts'
import type { Store } from '../store/store.ts'
import { backoffMs } from './backoff.ts'
import { Drafter } from './drafter.ts'
import { Inbox } from './inbox.ts'
import { type Account, type ChannelAdapter, ChannelFailure, type Inbound } from './port.ts'
import { Sender } from './sender.ts'

/** Lease time, longer than a renewal can be late on a busy machine. */
const heldForMs = 60_000
const renewEveryMs = 15_000
const typingForMs = 5000
/** Chats whose last sign is remembered. */
const maxTyping = 1000

/** Counters for operators (OP1). */
interface ChannelFigures {
  connected: number
  received: number
  sent: number
  failures: number
}

export interface SupervisorOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly adapter: ChannelAdapter
  /** Id of this run of this server. */
  readonly holder: string
  readonly figures: ChannelFigures
}

export class ChannelRunner {
  readonly #options: SupervisorOptions
  readonly #channel: ChannelName
  readonly #stop = new AbortController()
  readonly #typingSince = new Map<string, number>()
  #running: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#channel = options.adapter.channel
  }

  start(): void {
    this.#running = this.#runWhileLeased()
  }

  /** Resolves when nothing runs any more and another server may take the channel. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  /**
   * Takes the lease, runs the adapter, and renews the lease until it is stopped or another server
   * has taken it.
   */
  async #runWhileLeased(): Promise<void> {
    const stopped = this.#stop.signal
    while (!stopped.aborted && !(await this.#hold(heldForMs, true)))
      await pause(this.#options.clock, renewEveryMs, stopped)
    if (stopped.aborted) return
    const serving = this.#serve(stopped)
    await pause(this.#options.clock, renewEveryMs, stopped)
    while (!stopped.aborted) {
      // If the store cannot be read, the lease counts as held.
      if ((await this.#hold(heldForMs, false)) === false) this.#stop.abort()
      else await pause(this.#options.clock, renewEveryMs, stopped)
    }
    await serving
    await this.#hold(0, false)
  }

  async #hold(forMs: number, take: boolean): Promise<boolean | undefined> {
    const { store, holder, logger } = this.#options
    try {
      return (await store.run(holdChannel, { channel: this.#channel, holder, take, forMs })).held
    } catch (error) {
      logger.warn(
        { channel: this.#channel, error: String(error) },
        'channel lease could not be held; retrying',
      )
      return undefined
    }
  }

  async #serve(signal: AbortSignal): Promise<void> {
    const { store, clock, logger, adapter, holder, figures } = this.#options
    const drafter = new Drafter({ store, clock, logger, adapter, holder })
    const sender = new Sender({
      store,
      clock,
      logger,
      adapter,
      holder,
      onSent: () => figures.sent++,
      draftSettled: (chatId) => drafter.settled(chatId),
    })
    sender.start()
    drafter.start()
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#run(sender, signal, () => {
          failures = 0
        })
      } catch (error) {
        if (signal.aborted) break
        figures.connected = 0
        figures.failures++
        const failure = asFailure(error)
        logger.warn(
          { channel: this.#channel, kind: failure.kind, error: failure.message },
          'channel not connected',
        )
        await this.#note('failing', failure.detail)
        await pause(this.#options.clock, backoffMs(failures++, failure.retryAfterMs), signal)
      }
    }
    figures.connected = 0
    await drafter.stop()
    await sender.stop()
  }

  #run(sender: Sender, signal: AbortSignal, worked: () => void): Promise<void> {
    const { store, logger, adapter, figures } = this.#options
    const channel = this.#channel
    const inbox = new Inbox({ store, logger, channel })
    let account: Account | undefined
    return adapter.run(
      {
        connected: async (as) => {
          account = as
          figures.connected = 1
          worked()
          await this.#note('connected', null, as)
        },
        take: async (message: Inbound) => {
          if (!account) throw new ChannelFailure('unknown', statusNotice('messageTooEarly'))
          const taken = await inbox.take(account, message)
          figures.received++
          sender.look()
          if (taken === 'message' && !message.isLate) this.#showTyping(message.chatId, signal)
        },
        press: async (press) => {
          const pressed = await store.run(pressButton, { channel, ...press })
          if (pressed.counted) sender.look()
          return pressed.said
        },
        position: async () => (await store.query(findPosition, { channel })).position,
        servedChats: async () => (await store.query(findPosition, { channel })).chats,
        tellMissed: async (chatId, count) => {
          await store.run(tellMissed, { channel, chatId, count })
        },
      },
      signal,
    )
  }

  /** For a while a platform shows it by itself. */
  #showTyping(chatId: string, signal: AbortSignal): void {
    const now = this.#options.clock.now()
    if (now - (this.#typingSince.get(chatId) ?? Number.NEGATIVE_INFINITY) < typingForMs) return
    if (this.#typingSince.size >= maxTyping) this.#typingSince.clear()
    this.#typingSince.set(chatId, now)
    this.#options.adapter.showTyping(chatId, signal).catch(() => {})
  }

  async #note(
    state: 'connected' | 'failing',
    trouble: Detail | null,
    account?: Account,
  ): Promise<void> {
    const { store, holder, logger } = this.#options
    await store
      .run(recordChannelState, { channel: this.#channel, holder, state, trouble, account })
      .catch((error) =>
        logger.warn(
          { channel: this.#channel, error: String(error) },
          'channel state could not be saved',
        ),
      )
  }
}

const asFailure = (error: unknown): ChannelFailure =>
  error instanceof ChannelFailure
    ? error
    : new ChannelFailure('unknown', statusNotice('channelFailed', { why: String(error) }))
