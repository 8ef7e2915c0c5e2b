/**
 * The poll behind the doorbell: every 500 ms it finds what moved without having rung here, so that a lost NOTIFY costs half a
 * second and never an event. It is one for the whole node, and costs one tiny statement while nobody writes.
 *
 * Streams that somebody waits for are looked up by name. For those who wait for any stream there is no list, and a cursor by
 * time or number would miss transactions that commit out of order; so it asks for the rows written by any transaction that
 * was not yet finished, for sure, when it asked last: `xmin` not older than that snapshot's oldest running transaction.
 * That reads the whole table of streams (not of events), so it is done at most for 1/20 of the time.
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
const movedSince = 'select name, head from streams where age(streams.xmin) <= age($1::text::xid8::xid)'

export interface PollOptions {
  readonly everyMs: number
  readonly execute: (query: RunnableQuery) => Promise<Row[]>
  /** Who waits on this node. */
  readonly listened: () => Iterable<StreamName>
  readonly anyListened: () => boolean
  readonly ring: (heads: Iterable<readonly [StreamName, number]>) => void
  readonly heardTime: (serverMs: number) => void
  readonly heardIncarnation: (incarnation: string) => void
}

export class HeadPoll {
  readonly #options: PollOptions
  /** What those who wait have been told, or have read for themselves. */
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

  /** Somebody rang: the poll need not ring for it again. */
  heard(heads: Iterable<readonly [StreamName, number]>): void {
    for (const [stream, head] of heads) {
      const known = this.#known.get(stream)
      if (known !== undefined) this.#known.set(stream, Math.max(known, head))
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** Once: reads the time and finds what moved. */
  async poll(): Promise<void> {
    const [found] = await this.#options.execute({ name: 'hf_look', sql: look, values: [] })
    if (!found) return
    this.#options.heardTime(Number(found['now']))
    this.#options.heardIncarnation(String(found['incarnation']))
    const streams = [...this.#options.listened()]
    // The same transactions are running and none has begun since: nobody has written anything.
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
      // One that is seen for the first time may have moved since its listener read the log: it rings. So does one that somebody rang for
      // with a number that is not there yet, or never was: nothing that was told outweighs what is read.
      const moved = names.filter((name) => (heads.get(name) ?? 0) !== (this.#known.get(name) ?? 0))
      for (const name of names) this.#known.set(name, heads.get(name) ?? 0)
      this.#options.ring(moved.map((name) => [name, heads.get(name) ?? 0]))
    }
  }

  async #pollAny(oldest: string): Promise<void> {
    // Nobody waits: whoever comes later reads the log first, and that after this moment.
    if (!this.#options.anyListened() || this.#oldest === undefined) {
      this.#oldest = oldest
      return
    }
    const startedAt = performance.now()
    if (!this.#scanDue || startedAt < this.#nextScanAt) return
    const rows = await this.#options.execute({ name: 'hf_scan', sql: movedSince, values: [this.#oldest] })
    this.#oldest = oldest
    this.#scanDue = false
    this.#nextScanAt = performance.now() + (performance.now() - startedAt) * shareOfTime
    this.#options.ring(rows.map((row) => [row['name'] as StreamName, row['head'] as number]))
  }

  #forgetAllBut(streams: readonly StreamName[]): void {
    if (this.#known.size > streams.length) this.#known = new Map(streams.map((name) => [name, this.#known.get(name) ?? 0]))
  }

  #again(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      // What cannot be asked now is asked next time; the pool says elsewhere that PostgreSQL is away.
      this.#running = this.poll()
        .catch(() => {})
        .finally(() => this.#again())
    }, this.#options.everyMs).unref()
  }
}
