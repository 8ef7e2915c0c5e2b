/**
 * The end of one stream, for everybody who follows it: when the doorbell rings it reads the log once, makes each event once
 * and hands the same objects to all who are up to date. It keeps the newest few, so that one who fell behind a little need
 * not ask the log. It never waits for a follower.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Store } from '../../store/store.ts'
import { FeedEvent } from './feed-event.ts'

export interface TailFollower {
  /** New events, in order and without a hole behind what was handed out before. */
  take(events: readonly FeedEvent[]): void
}

const readAtOnce = 500
const maxRecentEvents = 1000
const maxRecentCharacters = 1024 * 1024
const retryMs = 1000

export interface TailOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class Tail {
  readonly stream: StreamName
  /** The number of the last event handed out. */
  head = 0
  readonly #options: TailOptions
  readonly #followers = new Set<TailFollower>()
  readonly #stopListening: () => void
  #recent: FeedEvent[] = []
  #recentCharacters = 0
  #rung = 0
  /** How often it has rung: one ring more is a reason to look again, whatever its number. */
  #rings = 0
  #started = false
  #reading = false
  #closed = false
  #stopRetry: (() => void) | undefined

  constructor(stream: StreamName, options: TailOptions) {
    this.stream = stream
    this.#options = options
    this.#stopListening = options.store.doorbell.on(stream, (head) => this.#ring(head))
  }

  /** Where to go on from, read after the doorbell was listened to, so that nothing falls between. The first one counts. */
  start(head: number): void {
    if (this.#started) return
    this.#started = true
    this.head = head
    this.#ring(this.#rung)
  }

  join(follower: TailFollower): void {
    this.#followers.add(follower)
  }

  leave(follower: TailFollower): void {
    this.#followers.delete(follower)
  }

  /** The events behind `after`, if all of them are still here. */
  recentAfter(after: number): readonly FeedEvent[] | undefined {
    const [oldest] = this.#recent
    if (!oldest || after < oldest.seq - 1 || after >= this.head) return undefined
    return this.#recent.slice(after - oldest.seq + 1)
  }

  close(): void {
    this.#closed = true
    this.#stopListening()
    this.#stopRetry?.()
    this.#followers.clear()
  }

  #ring(head: number): void {
    this.#rings++
    this.#rung = Math.max(this.#rung, head)
    if (this.#started && !this.#reading && this.#rung > this.head) void this.#read()
  }

  async #read(): Promise<void> {
    const { store, logger, clock } = this.#options
    this.#reading = true
    try {
      while (this.#rung > this.head && !this.#closed) {
        const rings = this.#rings
        const rows = await store.eventsAfter(this.stream, this.head, readAtOnce)
        // A ring for what is not there must not make followers skip what will be, nor hide one that came meanwhile.
        if (rows.length === 0 && rings === this.#rings) this.#rung = this.head
        else if (rows.length > 0) this.#handOut(rows.map((row) => new FeedEvent(row, store.incarnation)))
      }
    } catch (error) {
      if (this.#closed) return
      logger.warn({ err: error, stream: this.stream }, 'The log could not be read; trying again')
      this.#stopRetry?.()
      this.#stopRetry = clock.after(retryMs, () => this.#ring(this.#rung))
    } finally {
      this.#reading = false
    }
  }

  #handOut(events: readonly FeedEvent[]): void {
    this.head = events.at(-1)?.seq ?? this.head
    this.#remember(events)
    for (const follower of this.#followers) follower.take(events)
  }

  #remember(events: readonly FeedEvent[]): void {
    const first = events[0]
    if (first && this.#recent.at(-1)?.seq !== first.seq - 1) {
      this.#recent = []
      this.#recentCharacters = 0
    }
    for (const event of events) {
      this.#recent.push(event)
      this.#recentCharacters += event.size
    }
    let drop = Math.max(0, this.#recent.length - maxRecentEvents)
    for (let index = 0; index < drop; index++) this.#recentCharacters -= this.#recent[index]?.size ?? 0
    while (this.#recentCharacters > maxRecentCharacters) this.#recentCharacters -= this.#recent[drop++]?.size ?? 0
    if (drop > 0) this.#recent.splice(0, drop)
  }
}

/** One tail per stream that somebody follows. */
export class Tails {
  readonly #options: TailOptions
  readonly #open = new Map<StreamName, { readonly tail: Tail; holders: number }>()

  constructor(options: TailOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  /** Hold it as long as it is needed, then let it go. */
  hold(stream: StreamName): Tail {
    const held = this.#open.get(stream) ?? { tail: new Tail(stream, this.#options), holders: 0 }
    held.holders++
    this.#open.set(stream, held)
    return held.tail
  }

  letGo(stream: StreamName): void {
    const held = this.#open.get(stream)
    if (!held || --held.holders > 0) return
    held.tail.close()
    this.#open.delete(stream)
  }
}
