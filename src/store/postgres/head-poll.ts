/**
 * Polls for moved streams every 500 ms, so that a lost NOTIFY delays an event and never loses it.
 * One poll serves the node and costs one small statement while nothing is written. Streams with
 * listeners are looked up by name. For listeners to all streams a cursor by time or number would
 * miss transactions that commit out of order; the poll selects the rows written by transactions
 * that may have been running at the last poll: `xmin` not older than that snapshot's oldest running
 * transaction. This scans the table of streams, so it takes at most 1/20 of the time.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { Row } from '../engine.ts'
import type { RunnableQuery } from '../statement.ts'
import { serverMs } from './server-time.ts'

const namesPerStatement = 2000
const shareOfTime = 20

const look = `select ${serverMs} as now, pg_current_snapshot()::text as snapshot,
  pg_snapshot_xmin(pg_current_snapshot())::text as oldest,
  (select value from meta where key = 'incarnation') as incarnation`
const byName = 'select name, head from streams where name = any ($1::text[])'
const movedSince =
  'select name, head from streams where age(streams.xmin) <= age($1::text::xid8::xid)'

export interface PollOptions {
  readonly everyMs: number
  readonly execute: (query: RunnableQuery) => Promise<Row[]>
  readonly listened: () => Iterable<StreamName>
  readonly anyListened: () => boolean
  readonly ring: (heads: Iterable<readonly [StreamName, number]>) => void
  readonly heardTime: (serverMs: number) => void
  readonly heardIncarnation: (incarnation: string) => void
}

export class HeadPoll {
  readonly #options: PollOptions
  /** The heads that listeners already know. */
  #known = new Map<StreamName, number>()
  #snapshot = ''
  #oldest: string | undefined
  #scanDue = false
  #nextScanAt = 0
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #closed = false

  constructor(options: PollOptions) {
    this.#options = options
    this.#again()
  }

  /** Records heads that were rung for elsewhere. */
  heard(heads: Iterable<readonly [StreamName, number]>): void {
    for (const [stream, head] of heads) {
      const lastHead = this.#known.get(stream)
      if (lastHead !== undefined) this.#known.set(stream, Math.max(lastHead, head))
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** Polls once: reads the server's time and finds streams that moved. */
  async poll(): Promise<void> {
    const [found] = await this.#options.execute({ name: 'hf_look', sql: look, values: [] })
    if (!found) return
    this.#options.heardTime(Number(found['now']))
    this.#options.heardIncarnation(String(found['incarnation']))
    const streams = [...this.#options.listened()]
    // The same transactions are running and none has begun since: nothing was written.
    const quiet = found['snapshot'] === this.#snapshot
    const fresh = streams.filter((stream) => !this.#known.has(stream))
    await this.#pollNamed(quiet ? fresh : streams)
    this.#forgetAllBut(streams)
    this.#scanDue ||= !quiet
    await this.#pollAny(String(found['oldest']))
    this.#snapshot = String(found['snapshot'])
  }

  async #pollNamed(streams: readonly StreamName[]): Promise<void> {
    for (let at = 0; at < streams.length; at += namesPerStatement) {
      const names = streams.slice(at, at + namesPerStatement)
      const rows = await this.#options.execute({ name: 'hf_poll', sql: byName, values: [names] })
      const heads = new Map(rows.map((row) => [row['name'] as StreamName, row['head'] as number]))
      // A stream polled for the first time may have moved since its listener read the log, so it
      // rings. So does one that was rung for with a number the table does not have: the table
      // decides.
      const moved = names.filter((name) => (heads.get(name) ?? 0) !== (this.#known.get(name) ?? 0))
      for (const name of names) this.#known.set(name, heads.get(name) ?? 0)
      this.#options.ring(moved.map((name) => [name, heads.get(name) ?? 0]))
    }
  }

  async #pollAny(oldest: string): Promise<void> {
    // No listener: a later one reads the log first.
    if (!this.#options.anyListened() || this.#oldest === undefined) {
      this.#oldest = oldest
      return
    }
    const startedAt = performance.now()
    if (!this.#scanDue || startedAt < this.#nextScanAt) return
    const rows = await this.#options.execute({
      name: 'hf_scan',
      sql: movedSince,
      values: [this.#oldest],
    })
    this.#oldest = oldest
    this.#scanDue = false
    this.#nextScanAt = performance.now() + (performance.now() - startedAt) * shareOfTime
    this.#options.ring(rows.map((row) => [row['name'] as StreamName, row['head'] as number]))
  }

  #forgetAllBut(streams: readonly StreamName[]): void {
    if (this.#known.size > streams.length)
      this.#known = new Map(streams.map((name) => [name, this.#known.get(name) ?? 0]))
  }

  #again(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      // A failed poll is repeated at the next interval; the pool reports that PostgreSQL is
      // unavailable.
      this.#running = this.poll()
        .catch(() => {})
        .finally(() => this.#again())
    }, this.#options.everyMs).unref()
  }
}
