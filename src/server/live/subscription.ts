/**
 * One client following many streams, over WebSocket or SSE. Catches up from the log at the client's
 * pace, then joins the tails without gap or duplicate. A cursor that cannot be served gets a
 * snapshot (HT6). The log is the buffer: a slow client costs one chunk of memory and delays nobody
 * else.
 */

import type { Caller } from '../../domain/access/caller.ts'
import { type Viewer, viewerOf } from '../../domain/access/visibility.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { parseStream, type StreamKind, type StreamName } from '../../domain/stream-name.ts'
import { maxStreamsPerClient } from '../../protocol/socket.ts'
import { belongingOfStream } from '../../services/access/owners.ts'
import { App } from '../../services/app.ts'
import { readSnapshot } from '../../services/system/read-snapshot.ts'
import { decodeCursor, encodeCursor, type Heads } from '../../store/page-cursor.ts'
import type { Store, StreamPosition } from '../../store/store.ts'
import { type FeedEvent, feedEvents, type Tail, type TailFollower, type Tails } from './tail.ts'

export interface FeedSnapshot {
  readonly streams: readonly StreamName[]
  readonly state: Readonly<Record<string, unknown>>
  /** Cursor over all followed streams. */
  readonly cursor: string
}

/** The client's side. Nothing is sent while it is full. */
export interface FeedSink {
  readonly full: boolean
  /** Resolves when the client can take more, or has disconnected. */
  drained(): Promise<void>
  events(events: readonly FeedEvent[], cursorBehind: (event: FeedEvent) => string): void
  /** `asked`: the snapshot belongs to the request being answered; otherwise it comes unasked. */
  snapshot(snapshot: FeedSnapshot, wasAsked: boolean): void
  /** The log cannot be read: the client is disconnected and returns with its cursor. */
  failed(error: unknown): void
  /** A stream that was followed is not the client's any more; nothing more of it is sent. */
  lost(stream: StreamName, refusal: Refusal): void
}

/** Size of a chunk between two checks of the client's backpressure. */
const pieceCharacters = 32 * 1024
/** Upper bound of events per read of the log; fewer when events are large. */
const maxChunkEvents = 512
const firstChunkEvents = 64
const chunkCharacters = 256 * 1024

interface Lane extends TailFollower {
  readonly stream: StreamName
  readonly tail: Tail
  /** Number of the last event sent. */
  position: number
  /** Fed by the tail; otherwise it catches up from the log. */
  live: boolean
  left: boolean
  /** SE28: whose it is was checked as it is behind this number. */
  checkedAt: number
}

export class Subscription {
  readonly #store: Store
  readonly #tails: Tails
  readonly #sink: FeedSink
  readonly #app: App
  readonly #who: Caller
  readonly #viewer: Viewer
  readonly #lanes = new Map<StreamName, Lane>()
  /** Created once, because it is passed with every event of every client. */
  readonly #cursorBehind = (event: FeedEvent): string => this.#cursorAt(event)
  #chunkEvents = firstChunkEvents
  #pumping = false
  #closed = false

  constructor(store: Store, tails: Tails, sink: FeedSink, who: Caller) {
    this.#store = store
    this.#app = new App(store)
    this.#who = who
    this.#viewer = viewerOf(who)
    this.#tails = tails
    this.#sink = sink
  }

  get streams(): readonly StreamName[] {
    return [...this.#lanes.keys()]
  }

  /** Returns the number of the last event sent of a stream; 0 when it is not followed. */
  positionOf(stream: StreamName): number {
    return this.#lanes.get(stream)?.position ?? 0
  }

  /**
   * Follows more streams from a cursor, or from their heads. `ready` is called with the start
   * cursor before anything is sent, with null when a snapshot follows, which brings the cursor. A
   * stream that is already followed starts again.
   */
  async follow(
    streams: readonly StreamName[],
    after: string | undefined,
    ready: (cursor: string | null) => void,
  ): Promise<void> {
    this.unfollow(streams)
    // Tails first: they hear every doorbell from now on, so nothing is missed between reading
    // positions and joining.
    const tails = streams.map((stream) => this.#tails.acquire(stream))
    try {
      const positions = await this.#store.positions(streams)
      const starts = startsFrom(
        streams,
        positions,
        after === undefined ? 'heads' : cursorOf(after, this.#store.incarnation),
      )
      const unserved = streams.filter((stream) => !starts.has(stream))
      const snapshot =
        unserved.length > 0
          ? await this.#store.query(readSnapshot, { streams: unserved })
          : undefined
      for (const [index, stream] of unserved.entries())
        starts.set(stream, snapshot?.positions[index]?.head ?? 0)
      if (this.#closed) return
      for (const [index, tail] of tails.splice(0).entries()) {
        tail.start(positions[index]?.head ?? 0)
        this.#lanes.set(tail.stream, this.#lane(tail, starts.get(tail.stream) ?? 0))
      }
      // A cursor after a snapshot that never arrived would hide its content.
      ready(snapshot ? null : this.#cursorOver(streams))
      if (snapshot)
        this.#sink.snapshot(
          { streams: unserved, state: snapshot.state, cursor: this.#cursorOver() },
          true,
        )
    } finally {
      for (const tail of tails) this.#tails.release(tail.stream)
    }
    void this.#pump()
  }

  unfollow(streams: readonly StreamName[]): void {
    for (const stream of streams) {
      const lane = this.#lanes.get(stream)
      if (!lane) continue
      lane.left = true
      lane.tail.leave(lane)
      this.#tails.release(stream)
      this.#lanes.delete(stream)
    }
  }

  close(): void {
    this.#closed = true
    this.unfollow(this.streams)
  }

  #lane(tail: Tail, position: number): Lane {
    const lane: Lane = {
      stream: tail.stream,
      tail,
      position,
      live: false,
      left: false,
      checkedAt: belongingOfStream(tail.stream) ? position : Number.POSITIVE_INFINITY,
      take: (events) => {
        if (this.#send(lane, events)) return
        lane.live = false
        tail.leave(lane)
        void this.#pump()
      },
    }
    return lane
  }

  /**
   * Sends the events after the lane's position. False when the client is full or events are
   * missing: the lane catches up.
   */
  #send(lane: Lane, events: readonly FeedEvent[]): boolean {
    if (this.#mustCheck(lane, events)) return false
    // Fast path for the usual case: one next event for many clients.
    if (events.length === 1 && events[0]?.seq === lane.position + 1 && !this.#sink.full) {
      this.#sink.events(this.#asSeen(events), this.#cursorBehind)
      lane.position++
      return true
    }
    let next = events.findIndex((event) => event.seq > lane.position)
    while (next !== -1 && next < events.length) {
      if (this.#sink.full || events[next]?.seq !== lane.position + 1) return false
      let end = next
      for (let characters = 0; end < events.length && characters < pieceCharacters; end++)
        characters += events[end]?.size ?? 0
      this.#sink.events(this.#asSeen(events.slice(next, end)), this.#cursorBehind)
      lane.position = events[end - 1]?.seq ?? lane.position
      next = end
    }
    return true
  }

  #asSeen(events: readonly FeedEvent[]): readonly FeedEvent[] {
    const viewer = this.#viewer
    return events.every((event) => event.isWholeFor(viewer))
      ? events
      : events.map((event) => event.for(viewer))
  }

  /** Whether whose the stream is may have changed with one of these. */
  #mustCheck({ checkedAt }: Lane, events: readonly FeedEvent[]): boolean {
    return this.#viewer !== null && events.some((event) => event.begins && event.seq > checkedAt)
  }

  /** Lets go of a stream that is not the client's. */
  async #check(lane: Lane, events: readonly FeedEvent[]): Promise<void> {
    const { stream } = lane
    try {
      await this.#app.watch([stream], this.#who)
      lane.checkedAt = events.at(-1)?.seq ?? lane.checkedAt
    } catch (error) {
      if (!(error instanceof Refusal) || !gone.has(error.code)) throw error
      if (lane.left) return
      this.unfollow([stream])
      this.#sink.lost(stream, error)
    }
  }

  /** Brings every lane up to its tail, one chunk each in turn. */
  async #pump(): Promise<void> {
    if (this.#pumping) return
    this.#pumping = true
    try {
      for (let behind = this.#behind(); behind.length > 0; behind = this.#behind()) {
        for (const lane of behind) {
          await (this.#sink.full ? this.#sink.drained() : letOthersRun())
          if (!lane.left) await this.#catchUp(lane)
        }
      }
    } catch (error) {
      if (!this.#closed) this.#sink.failed(error)
    } finally {
      this.#pumping = false
    }
  }

  #behind(): Lane[] {
    return this.#closed ? [] : [...this.#lanes.values()].filter((lane) => !lane.live)
  }

  async #catchUp(lane: Lane): Promise<void> {
    if (lane.position < lane.tail.head) {
      let events = lane.tail.recentAfter(lane.position) ?? (await this.#readLog(lane))
      if (events.length === 0 && !lane.left) return this.#jump(lane)
      if (this.#mustCheck(lane, events)) await this.#check(lane, events)
      while (!lane.left && !this.#send(lane, events)) {
        if (!this.#sink.full) return this.#jump(lane)
        await this.#sink.drained()
        events = events.filter((event) => event.seq > lane.position)
      }
    }
    if (lane.left || lane.position < lane.tail.head) return
    // Synchronous since the comparison, so the tail's next event is the lane's next event.
    lane.live = true
    lane.tail.join(lane)
  }

  async #readLog(lane: Lane): Promise<readonly FeedEvent[]> {
    const events = await feedEvents(
      this.#store,
      await this.#store.eventsAfter(lane.stream, lane.position, this.#chunkEvents),
    )
    if (events.length > 0) {
      const average = events.reduce((sum, event) => sum + event.size, 0) / events.length
      this.#chunkEvents = Math.max(
        1,
        Math.min(maxChunkEvents, Math.floor(chunkCharacters / average)),
      )
    }
    return events
  }

  /** Continues from a snapshot after the next events were trimmed. */
  async #jump(lane: Lane): Promise<void> {
    await this.#check(lane, [])
    const { positions, state } = await this.#store.query(readSnapshot, { streams: [lane.stream] })
    if (lane.left) return
    lane.position = positions[0]?.head ?? 0
    this.#sink.snapshot({ streams: [lane.stream], state, cursor: this.#cursorOver() }, false)
  }

  #cursorOver(streams: readonly StreamName[] = this.streams): string {
    return encodeCursor(
      this.#store.incarnation,
      new Map(streams.map((name) => [name, this.#lanes.get(name)?.position ?? 0])),
    )
  }

  #cursorAt(event: FeedEvent): string {
    if (this.#lanes.size === 1) return event.cursor
    const heads = new Map<StreamName, number>()
    for (const lane of this.#lanes.values())
      heads.set(lane.stream, lane.stream === event.stream ? event.seq : lane.position)
    return encodeCursor(this.#store.incarnation, heads)
  }
}

/** Refusals of a stream that is not the client's any more. */
const gone: ReadonlySet<string> = new Set(['not_found', 'user_session_not_found'])

const cursorOf = (text: string, incarnation: string): Heads => {
  const cursor = decodeCursor(text)
  return cursor?.incarnation === incarnation ? cursor.heads : new Map()
}

/** Returns the start position of each stream; streams that cannot be resumed are left out. */
function startsFrom(
  streams: readonly StreamName[],
  positions: readonly StreamPosition[],
  cursor: Heads | 'heads',
): Map<StreamName, number> {
  const starts = new Map<StreamName, number>()
  for (const [index, stream] of streams.entries()) {
    const { head, floor } = positions[index] ?? { head: 0, floor: 0 }
    const at = cursor === 'heads' ? head : cursor.get(stream)
    if (at !== undefined && at >= floor && at <= head) starts.set(stream, at)
  }
  return starts
}

const letOthersRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

// The stream names a client asks for: known kinds, at most 100.

/**
 * Streams not offered to readers (SE3): a coordinator's orders are for that coordinator, a user
 * session is followed with `session:resume`, and streams of notes are for the mirror.
 */
const notForReaders: ReadonlySet<StreamKind> = new Set(['coordinator', 'user-session', 'note'])
const maxStreamNameLength = 300

export function readableStreams(
  names: readonly string[],
  followed: readonly StreamName[] = [],
): StreamName[] {
  const streams = new Set<StreamName>()
  for (const name of names) {
    // PostgreSQL cannot store NUL, so no stream has such a name.
    const stream =
      name.length <= maxStreamNameLength && !name.includes('\u0000') ? parseStream(name) : undefined
    if (!stream)
      throw new Refusal(
        'invalid_request',
        refusalText('notStream', { name: JSON.stringify(name.slice(0, 100)) }),
        {
          field: 'streams',
        },
      )
    if (notForReaders.has(stream.kind))
      throw new Refusal('not_found', refusalText('noStream'), { stream: name })
    streams.add(name as StreamName)
  }
  stillFree([...streams], followed)
  return [...streams]
}

export function stillFree(streams: readonly StreamName[], followed: readonly StreamName[]): void {
  if (new Set([...streams, ...followed]).size <= maxStreamsPerClient) return
  const limit = { field: 'streams', max: maxStreamsPerClient }
  throw new Refusal(
    'invalid_request',
    refusalText('streamsTooMany', { most: maxStreamsPerClient }),
    limit,
  )
}
