/**
 * Has agents started for the work there is (CO3): looks at a pair when a doorbell says that something happened where its work comes
 * from, and at all of them every few seconds, so a lost doorbell costs seconds and never a start. Stands beside the way of a message,
 * never on it; reads before it writes; what it orders is decided behind a lock, so any number of nodes may look at once.
 */
import { parseAgentKey, parseWebKey } from '../../domain/conversation/key.ts'
import { home, parseStream, type StreamName } from '../../domain/stream/name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { EventType } from '../../protocol/events.ts'
import { findPairsWithWork, pairsAtOnce } from '../../services/find-pairs-with-work.ts'
import type { Pair } from '../../store/queries/agent-sessions.ts'
import type { PairsFilter } from '../../store/queries/pairs-with-work.ts'
import type { Store } from '../../store/store.ts'
import type { FeedEvent } from '../live/feed-event.ts'
import type { TailFollower, Tails } from '../live/tail.ts'
import type { Launches } from './launches.ts'

/** Behind the doorbells. */
const lookAtAllEveryMs = 3000
/** Looked at and not yet begun; beyond it everything is looked at instead. */
const maxWaiting = 5000
const lookedAtTogether = 8

/** Of what happens in home, that which makes starts possible. */
const newsOfHome: ReadonlySet<string> = new Set<EventType>([
  'coordinator-joined',
  'coordinator-back',
  'agent-changed',
  'agent-assigned',
])

export interface StarterParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly tails: Tails
  readonly launches: Launches
}

/** One pair, or all that fit. */
type Look = { readonly pair: Pair; readonly inChat: boolean } | { readonly among: PairsFilter }

const all = 'all'
const everywhere: Look = { among: {} }

export class Starter implements TailFollower {
  readonly #parts: StarterParts
  readonly #waiting = new Map<string, Look>()
  #running: Promise<void> | undefined
  #stopBell: (() => void) | undefined
  #cancel: (() => void) | undefined
  #stopped = false

  constructor(parts: StarterParts) {
    this.#parts = parts
  }

  async start(): Promise<void> {
    const { store, tails } = this.#parts
    this.#stopBell = store.doorbell.onAny((stream) => this.#rung(stream))
    const tail = tails.hold(home)
    tail.join(this)
    const [position] = await store.positions([home])
    tail.start(position?.head ?? 0)
    this.#lookAtAll()
  }

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#cancel?.()
    this.#waiting.clear()
    await this.#running
  }

  /** Resolves when everything that is waiting now was looked at. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running
  }

  take(events: readonly FeedEvent[]): void {
    if (events.some(({ type }) => newsOfHome.has(type))) this.#look(all, everywhere)
  }

  #lookAtAll(): void {
    this.#look(all, everywhere)
    this.#cancel = this.#parts.clock.after(lookAtAllEveryMs, () => this.#lookAtAll())
  }

  #rung(name: StreamName): void {
    const stream = parseStream(name)
    if (stream?.kind === 'project') this.#look(name, { among: { projectId: stream.id } })
    if (stream?.kind !== 'conversation') return
    const pair = parseWebKey(stream.id)
    if (pair) return this.#look(name, { pair, inChat: true })
    for (const agentId of parseAgentKey(stream.id)?.agentIds ?? []) this.#look(`agent:${agentId}`, { among: { agentId } })
  }

  #look(key: string, look: Look): void {
    if (this.#stopped) return
    if (this.#waiting.size < maxWaiting) this.#waiting.set(key, look)
    else {
      this.#waiting.clear()
      this.#waiting.set(all, everywhere)
    }
    this.#running ??= this.#lookAtWaiting().finally(() => {
      this.#running = undefined
    })
  }

  async #lookAtWaiting(): Promise<void> {
    // Whoever rang is answered first.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) {
      const some = [...this.#waiting].slice(0, lookedAtTogether)
      for (const [key] of some) this.#waiting.delete(key)
      await Promise.all(some.map(([, look]) => this.#lookAt(look)))
    }
  }

  async #lookAt(look: Look): Promise<void> {
    const { store, launches, logger } = this.#parts
    try {
      if ('pair' in look) return void (await launches.order(look.pair, look.inChat))
      for (let after: Pair | undefined; ; ) {
        const pairs = await store.query(findPairsWithWork, { ...look.among, after })
        for (const pair of pairs) await launches.order(pair)
        after = pairs.at(-1)
        if (pairs.length < pairsAtOnce) return
      }
    } catch (error) {
      logger.warn({ error: String(error) }, 'It could not be seen whether an agent is to be started; trying again')
    }
  }
}
