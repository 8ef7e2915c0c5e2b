/**
 * Keeps the search index up to date (DC5). Follows the streams of conversations a moment behind, so
 * that no append waits for it, and uses a bounded share of the writer's time. A search has missing
 * messages indexed first, within the time it may wait. Safe on several nodes at once.
 */

import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { theServer } from '../../domain/access/caller.ts'
import { parseStream } from '../../domain/stream-name.ts'
import { App } from '../../services/app.ts'
import {
  findJustWritten,
  findUnindexed,
  makeSearchable,
  maxConversationsAtOnce,
} from '../../services/conversations/make-searchable.ts'
import type { Basics } from '../dependencies.ts'

/** Changes within this time share a commit. */
const gatherMs = 200
/**
 * Pause after each step as a multiple of its duration: at most a quarter of the store's time, under
 * load a twentieth.
 */
const restFactor = { usual: 3, underLoad: 19 } as const
/** Use cases per second from which a store counts as under load. */
const loadPerSecond = 50
const retryMs = 2000
/** Upper bound of conversations known by key; beyond it, all conversations are checked again. */
const maxWaiting = 5000
/** Time a search waits for messages that are not indexed yet. */
const searchWaitsMs = 1000

export class SearchIndexer {
  readonly #options: Basics
  readonly #waiting = new Set<string>()
  /** Number of waiting searches. */
  #searches = 0
  #seen = { useCases: 0, at: Number.NEGATIVE_INFINITY }
  #running: Promise<void> | undefined
  #lookThroughAll = false
  #wake: (() => void) | undefined
  #stopBell: (() => void) | undefined
  #stopped = false

  constructor(options: Basics) {
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

  /** Resolves when the current step is finished. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopBell?.()
    this.#wake?.()
    await this.#running
  }

  /**
   * Indexes what was written before this call, within the time limit. Returns the number of
   * conversations left.
   */
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
      // More arrived since the last check.
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
        await this.#rest(
          (performance.now() - from) * restFactor[this.#isUnderLoad() ? 'underLoad' : 'usual'],
        )
      } catch (error) {
        if (this.#stopped) return
        this.#options.logger.warn(
          { error: String(error) },
          'messages could not be indexed for search; retrying',
        )
        await this.#rest(retryMs, true)
      }
    }
  }

  /** Measures since the last call. */
  #isUnderLoad(): boolean {
    const { useCases } = this.#options.store.figures()
    const at = performance.now()
    const { useCases: before, at: then } = this.#seen
    this.#seen = { useCases, at }
    return useCases - before > ((at - then) / 1000) * loadPerSecond
  }

  async #indexSome(): Promise<void> {
    const keys = [...this.#waiting].slice(0, maxConversationsAtOnce)
    // Removed before reading, so that later writes ring again.
    for (const key of keys) this.#waiting.delete(key)
    try {
      const { unfinished } = await new App(this.#options.store).run(
        makeSearchable,
        { keys },
        theServer,
      )
      for (const key of unfinished) this.#waiting.add(key)
    } catch (error) {
      for (const key of keys) this.#waiting.add(key)
      throw error
    }
  }

  /** Finds conversations that changed while nothing listened; starts over when it fails. */
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
      const { keys, next }: { keys: string[]; next: string | null } =
        await this.#options.store.query(findUnindexed, { after })
      for (const key of keys) this.#waiting.add(key)
      after = next
      while (this.#waiting.size >= maxWaiting && !this.#stopped) {
        await this.#indexSome()
        await yieldToOthers()
      }
      await yieldToOthers()
    }
  }

  /** Waits, but not while a search waits, except after a failure (`whole`). */
  #rest(ms: number, whole = false): Promise<void> {
    if (this.#stopped || (this.#searches > 0 && !whole)) return yieldToOthers()
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
