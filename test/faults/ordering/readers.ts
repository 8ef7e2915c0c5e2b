/**
 * Readers of the log. The product's own, as it stands behind every endpoint, with clients that are
 * slow, are cut off and come back with their cursor. And, as controls, the two cursors that this
 * store must never have: by time and by a number given out before the commit. Those must be seen to
 * miss events.
 */

import { sql } from 'kysely'
import { owner } from '../../../src/domain/access/caller.ts'
import type { StreamName } from '../../../src/domain/stream-name.ts'
import { createLogger } from '../../../src/platform/log/logger.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { Subscription } from '../../../src/server/live/subscription.ts'
import { type FeedEvent, Tails } from '../../../src/server/live/tail.ts'
import { encodeCursor } from '../../../src/store/page-cursor.ts'
import type { Store } from '../../../src/store/store.ts'
import type { Chance } from '../random.ts'
import { BadDoorbell, withDoorbell } from './bad-doorbell.ts'
import { Sightings } from './sightings.ts'

export interface LogReader {
  readonly sightings: Sightings
  readonly reconnects: number
  close(): void
}

export type StartReader = (store: Store, streams: readonly StreamName[], dice: Chance) => LogReader

const logger = createLogger({ level: 'silent', format: 'json' })
const eventsBetweenReconnects = 2000

class ProductReader implements LogReader {
  readonly sightings = new Sightings()
  reconnects = -1
  readonly #streams: readonly StreamName[]
  readonly #dice: Chance
  readonly #bell: BadDoorbell
  readonly #store: Store
  readonly #tails: Tails
  #cursor: string
  #subscription: Subscription | undefined
  #leaveAt = 0
  #closed = false

  constructor(store: Store, streams: readonly StreamName[], dice: Chance, poll: boolean) {
    this.#streams = streams
    this.#dice = dice
    this.#bell = new BadDoorbell(store, dice.fork('bell'), poll)
    this.#store = withDoorbell(store, this.#bell)
    this.#tails = new Tails({ store: this.#store, clock: systemClock, logger })
    this.#cursor = encodeCursor(store.incarnation, new Map(streams.map((stream) => [stream, 0])))
    this.#connect()
  }

  close(): void {
    this.#closed = true
    this.#subscription?.close()
    this.#bell.close()
  }

  #connect(): void {
    this.#subscription?.close()
    if (this.#closed) return
    this.reconnects++
    this.#leaveAt = this.sightings.count + 1 + this.#dice.below(eventsBetweenReconnects)
    const client = { gone: false, full: false }
    const dice = this.#dice
    const subscription = new Subscription(
      this.#store,
      this.#tails,
      {
        get full() {
          return client.full
        },
        drained: async () => {
          await new Promise((resolve) => setTimeout(resolve, dice.below(3)))
          client.full = false
        },
        events: (events, cursorBehind) => {
          if (client.gone) return
          if (dice.one(0.05)) client.full = true
          if (this.#take(events, cursorBehind)) return
          client.gone = true
          setImmediate(() => this.#connect())
        },
        snapshot: () => this.sightings.findings.lost.push('a snapshot came where events must come'),
        failed: (error) =>
          this.sightings.findings.lost.push(`the log could not be read: ${String(error)}`),
        lost: (stream) => this.sightings.findings.lost.push(`${stream} is another's`),
      },
      owner,
    )
    this.#subscription = subscription
    void subscription.follow(this.#streams, this.#cursor, () => undefined)
  }

  /** False: the line was cut in the middle, and the rest of this piece never arrived. */
  #take(events: readonly FeedEvent[], cursorBehind: (event: FeedEvent) => string): boolean {
    for (const event of events) {
      this.sightings.see(event.stream, event.seq)
      this.#cursor = cursorBehind(event)
      if (this.sightings.count >= this.#leaveAt) return false
    }
    return true
  }
}

export const productReader: StartReader = (store, streams, dice) =>
  new ProductReader(store, streams, dice, true)

/** Control: nothing stands behind a doorbell that loses rings. */
export const withoutPoll: StartReader = (store, streams, dice) =>
  new ProductReader(store, streams, dice, false)

interface Found {
  readonly stream: StreamName
  readonly seq: number
  readonly key: string
}

type ReadAfter = (store: Store, last: string) => Promise<Found[]>

const batch = 500

/** Reads on from the highest key it has seen, however it is asked for. */
const keyReader =
  (first: string, after: ReadAfter): StartReader =>
  (store, streams) => {
    const sightings = new Sightings()
    let [last, closed] = [first, false]
    const read = async (): Promise<void> => {
      while (!closed) {
        const found = await after(store, last).catch(() => [])
        for (const { stream, seq, key } of found) {
          last = key
          if (streams.includes(stream)) sightings.see(stream, seq)
        }
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    void read()
    return {
      sightings,
      reconnects: 0,
      close: () => {
        closed = true
      },
    }
  }

/** Control: a cursor by time. Two events of one millisecond have the same. */
export const timeCursor = keyReader('', (store, last) =>
  store.read((reader) =>
    reader.query((db) =>
      db
        .selectFrom('events')
        .select(['stream', 'seq', 'at as key'])
        .where('at', '>', last)
        .orderBy('at')
        .orderBy('stream')
        .orderBy('seq')
        .limit(batch),
    ),
  ),
)

/**
 * Control, PostgreSQL: a cursor by a number that is given out before the commit (`events.id
 * bigserial`, added by the test).
 */
export const idCursor = keyReader('0', (store, last) =>
  store.read(async (reader) => {
    const rows = await reader.query((db) => ({
      compile: () =>
        sql<Found>`select stream, seq, id::text as key from events where id > ${last}::bigint order by id limit ${batch}`.compile(
          db,
        ),
    }))
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
  }),
)
