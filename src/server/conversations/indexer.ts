/**
 * Keeps the search index up with the messages (DC5): a follower of the conversations' streams, a moment behind them, so that no
 * append waits for it. It takes at most a part of the writer's time, unless somebody searches: then what is missing is indexed
 * first, as far as that goes in the time a search may wait. Any number of nodes may do it at once.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import { parseStream } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import {
  findJustWritten,
  findUnindexed,
  makeSearchable,
  maxConversationsAtOnce,
} from '../../services/conversations/make-searchable.ts'
import type { Store } from '../../store/store.ts'

/** What comes within this time shares a commit. */
const gatherMs = 200
/** Behind each step so many times as long as it took: of a store under load this takes a twentieth, otherwise a quarter at most. */
const restFactor = { usual: 3, underLoad: 19 } as const
/** Use cases a second from which on a store is under load. */
const loadPerSecond = 50
const retryMs = 2000
/** Known by name; beyond it, all conversations are looked through again. */
const maxWaiting = 5000
/** How long a search waits for what is not indexed yet. */
const searchWaitsMs = 1000

export interface IndexerOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class SearchIndexer {
  readonly #options: IndexerOptions
  readonly #waiting = new Set<string>()
  /** How many searches wait just now. */
  #searches = 0
  #seen = { useCases: 0, at: Number.NEGATIVE_INFINITY }
  #running: Promise<void> | undefined
  #lookThroughAll = false
  #wake: (() => void) | undefined
  #stopBell: (() => void) | undefined
  #stopped = false

  constructor(options: IndexerOptions) {
    this.#options = options
  }

  start(): void {
    this.#stopBell = this.#options.store.doorbell.onAny((name) => {
      const stream = parseStream(name)
      if (stream?.kind === 'conversation') this.#add([stream.id])
    })
    this.#lookThroughAll = true
    this.#begin()
  }

  /** Resolves when what was begun is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#wake?.()
    await this.#running
  }

  /** Indexes what was written before this call, as far as that goes in time; answers how many conversations are left. */
  async catchUp(): Promise<number> {
    const { store, clock } = this.#options
    this.#add(await store.query(findJustWritten, {}))
    if (!this.#running) return 0
    this.#searches++
    this.#wake?.()
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(searchWaitsMs, resolve)
    })
    await Promise.race([this.#running, late])
    cancel()
    this.#searches--
    return this.#waiting.size
  }

  #add(keys: readonly string[]): void {
    for (const key of keys) {
      if (this.#waiting.size < maxWaiting) this.#waiting.add(key)
      else this.#lookThroughAll = true
    }
    if (this.#waiting.size > 0) this.#begin()
  }

  #begin(): void {
    if (this.#stopped) return
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
      // Between the last look and this came more.
      if (this.#waiting.size > 0) this.#begin()
    })
  }

  async #work(): Promise<void> {
    await this.#rest(gatherMs)
    while (!this.#stopped && (this.#waiting.size > 0 || this.#lookThroughAll)) {
      const from = performance.now()
      try {
        if (this.#waiting.size > 0) await this.#indexSome()
        else await this.#findMissed()
        await this.#rest((performance.now() - from) * restFactor[this.#isUnderLoad() ? 'underLoad' : 'usual'])
      } catch (error) {
        if (this.#stopped) return
        this.#options.logger.warn({ error: String(error) }, 'messages could not be indexed for search; trying again')
        await this.#rest(retryMs, true)
      }
    }
  }

  /** Since it was asked last. */
  #isUnderLoad(): boolean {
    const { useCases } = this.#options.store.figures()
    const at = performance.now()
    const { useCases: before, at: then } = this.#seen
    this.#seen = { useCases, at }
    return useCases - before > ((at - then) / 1000) * loadPerSecond
  }

  async #indexSome(): Promise<void> {
    const keys = [...this.#waiting].slice(0, maxConversationsAtOnce)
    // Before it is read: what is written from now on rings again.
    for (const key of keys) this.#waiting.delete(key)
    try {
      const { unfinished } = await this.#options.store.run(makeSearchable, { keys })
      for (const key of unfinished) this.#waiting.add(key)
    } catch (error) {
      for (const key of keys) this.#waiting.add(key)
      throw error
    }
  }

  /** What moved while nobody listened; all of it anew when that fails. */
  async #findMissed(): Promise<void> {
    this.#lookThroughAll = false
    try {
      await this.#lookThrough()
    } catch (error) {
      this.#lookThroughAll = true
      throw error
    }
  }

  async #lookThrough(): Promise<void> {
    for (let after: string | null = ''; after !== null && !this.#stopped; ) {
      const { keys, next }: { keys: string[]; next: string | null } = await this.#options.store.query(findUnindexed, { after })
      for (const key of keys) this.#waiting.add(key)
      after = next
      while (this.#waiting.size >= maxWaiting && !this.#stopped) {
        await this.#indexSome()
        await breathe()
      }
      await breathe()
    }
  }

  /** Whoever searches does not wait for a rest, but for one after a failure. */
  #rest(ms: number, whole = false): Promise<void> {
    if (this.#stopped || (this.#searches > 0 && !whole)) return breathe()
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, () => this.#wake?.())
      this.#wake = () => {
        this.#wake = undefined
        cancel()
        resolve()
      }
    })
  }
}
