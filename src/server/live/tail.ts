/**
 * The end of one stream, shared by all its followers. When the doorbell rings it reads the log
 * once, builds each event once, and passes the same objects to all followers that are up to date.
 * Keeps the newest events for followers slightly behind. Never waits for a follower.
 */

import { isVisible, type Owner, type Viewer } from '../../domain/access/visibility.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { bodyToOthers, findOwnersOfEvents, isGuarded } from '../../services/access/event-classes.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import type { Store, StoredEvent } from '../../store/store.ts'
import type { Basics } from '../dependencies.ts'

/**
 * An event of the log for followers. Each form is built once for all of them; the body is inserted
 * as stored, never parsed.
 */
export class FeedEvent {
  readonly stream: StreamName
  readonly seq: number
  readonly type: string
  readonly #event: StoredEvent
  readonly #incarnation: string
  #json: string | undefined
  #cursor: string | undefined
  #socketFrame: Buffer | undefined
  #doorFrames: Map<FrameForm, Buffer> | undefined
  readonly #owner: Owner
  #toOthers: FeedEvent | undefined

  constructor(event: StoredEvent, incarnation: string, owner: Owner = null) {
    this.stream = event.stream
    this.seq = event.seq
    this.type = event.type
    this.#event = event
    this.#incarnation = incarnation
    this.#owner = owner
  }

  isWholeFor(viewer: Viewer): boolean {
    return isVisible(viewer, this.#owner)
  }

  /** SE28: the event as this reader gets it. Its number stays, so that nobody misses one. */
  for(viewer: Viewer): FeedEvent {
    if (this.isWholeFor(viewer)) return this
    const data = bodyToOthers(this.#event)
    this.#toOthers ??= new FeedEvent(
      { ...this.#event, data, refStream: null, refSeq: null },
      this.#incarnation,
    )
    return this.#toOthers
  }

  /** Whether its stream begins here, or ends and may begin again as another's. */
  get begins(): boolean {
    return (
      this.seq === 1 || this.type === 'conversation-created' || this.type === 'conversation-deleted'
    )
  }

  /** Approximate number of characters in any form. */
  get size(): number {
    return (this.#event.data?.length ?? 0) + headSize
  }

  get json(): string {
    this.#json ??= eventJson(this.#event)
    return this.#json
  }

  /** Cursor directly after this event in its stream. */
  get cursor(): string {
    this.#cursor ??= encodeCursor(this.#incarnation, new Map([[this.stream, this.seq]]))
    return this.#cursor
  }

  /**
   * WebSocket frame of the event, shared by all clients: server frames are not masked (RFC 6455).
   */
  get socketFrame(): Buffer {
    this.#socketFrame ??= textFrame(
      `{"type":"event","event":${this.json},"cursor":"${this.cursor}"}`,
    )
    return this.#socketFrame
  }

  /** The same in the form of a door. */
  frameIn(form: FrameForm): Buffer {
    const frames = this.#doorFrames?.get(form)
    if (frames) return frames
    const frame = textFrame(form(this.#event))
    this.#doorFrames ??= new Map()
    this.#doorFrames.set(form, frame)
    return frame
  }
}

/** The text of a frame, of an event as it is stored. */
export type FrameForm = (event: StoredEvent) => string

/** Approximate size of the JSON around a body. */
const headSize = 150

function eventJson({ stream, seq, type, at, data, refStream, refSeq }: StoredEvent): string {
  const head = `{"type":${JSON.stringify(type)},"stream":${JSON.stringify(stream)},"seq":${seq},"at":"${at}"`
  if (data !== null) return `${head},"data":${data}}`
  // Somebody else's: there was one, and no more is said.
  if (refStream === null) return `${head},"hidden":true}`
  return `${head},"ref":{"stream":${JSON.stringify(refStream)},"seq":${refSeq}}}`
}

/** One final text frame, with a length of 7, 16 or 64 bits. */
function frameHead(length: number): Buffer {
  if (length < 126) return Buffer.of(0x81, length)
  if (length < 65_536) {
    const head = Buffer.of(0x81, 126, 0, 0)
    head.writeUInt16BE(length, 2)
    return head
  }
  const head = Buffer.of(0x81, 127, 0, 0, 0, 0, 0, 0, 0, 0)
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  return Buffer.concat([frameHead(length), Buffer.from(text)])
}

/**
 * Builds events for readers, with whose they are where that is not their stream's matter. Most are
 * nobody's: these are there at once, in front of what is sent behind them.
 */
export function feedEvents(
  store: FeedStore,
  rows: readonly StoredEvent[],
): readonly FeedEvent[] | Promise<readonly FeedEvent[]> {
  const guarded = rows.filter(isGuarded)
  return guarded.length === 0
    ? rows.map((row) => new FeedEvent(row, store.incarnation))
    : guardedEvents(store, rows, guarded)
}

type FeedStore = Pick<Store, 'query' | 'incarnation'>

async function guardedEvents(
  store: FeedStore,
  rows: readonly StoredEvent[],
  guarded: readonly StoredEvent[],
): Promise<readonly FeedEvent[]> {
  const found = await store.query(findOwnersOfEvents, { events: guarded })
  const owners = new Map(guarded.map((row, index) => [row, found[index]]))
  return rows.map(
    (row) => new FeedEvent(row, store.incarnation, owners.has(row) ? owners.get(row) : null),
  )
}

export interface TailFollower {
  /** Receives new events in order, without a gap after the events before. */
  take(events: readonly FeedEvent[]): void
}

const readAtOnce = 500
const maxRecentEvents = 1000
const maxRecentCharacters = 1024 * 1024
const retryMs = 1000

export class Tail {
  readonly stream: StreamName
  /** Number of the last event passed on. */
  head = 0
  readonly #options: Basics
  readonly #followers = new Set<TailFollower>()
  readonly #stopListening: () => void
  #recent: FeedEvent[] = []
  #recentCharacters = 0
  #rung = 0
  /** Number of rings; a new ring causes another read whatever its number. */
  #rings = 0
  #started = false
  #reading = false
  #closed = false
  #stopRetry: (() => void) | undefined

  constructor(stream: StreamName, options: Basics) {
    this.stream = stream
    this.#options = options
    this.#stopListening = options.store.doorbell.on(stream, (head) => this.#ring(head))
  }

  /**
   * Sets the start position, read after subscribing to the doorbell so that nothing is missed. Only
   * the first call counts.
   */
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

  /** Returns the events after `after` if all of them are still kept. */
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
        // A ring for an event that is not visible yet must neither skip it nor hide a later ring.
        if (rows.length === 0 && rings === this.#rings) this.#rung = this.head
        else if (rows.length > 0) {
          const events = feedEvents(store, rows)
          this.#handOut(events instanceof Promise ? await events : events)
        }
      }
    } catch (error) {
      if (this.#closed) return
      logger.warn({ err: error, stream: this.stream }, 'event log could not be read; retrying')
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
    for (let index = 0; index < drop; index++)
      this.#recentCharacters -= this.#recent[index]?.size ?? 0
    while (this.#recentCharacters > maxRecentCharacters)
      this.#recentCharacters -= this.#recent[drop++]?.size ?? 0
    if (drop > 0) this.#recent.splice(0, drop)
  }
}

export class Tails {
  readonly #options: Basics
  readonly #open = new Map<StreamName, { readonly tail: Tail; holders: number }>()

  constructor(options: Basics) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  /** Returns the tail of a stream; call `release` when it is no longer needed. */
  acquire(stream: StreamName): Tail {
    const held = this.#open.get(stream) ?? { tail: new Tail(stream, this.#options), holders: 0 }
    held.holders++
    this.#open.set(stream, held)
    return held.tail
  }

  release(stream: StreamName): void {
    const held = this.#open.get(stream)
    if (!held || --held.holders > 0) return
    held.tail.close()
    this.#open.delete(stream)
  }
}
