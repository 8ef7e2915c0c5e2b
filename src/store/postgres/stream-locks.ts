/**
 * The locks that make decisions about a stream serial: its row, held until the transaction ends. Always taken in the order
 * given, also for streams that are not there yet, so that nobody waits in a circle.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { RunnableQuery } from '../statement.ts'
import { serverMs } from './server-time.ts'

/** Names of streams this node has seen committed; forgotten all at once when there are more. */
const maxKnown = 100_000

/**
 * Locks each row in the order given, and makes those that are missing, so that two who make the same one wait for each other
 * too. `where false`: a row that is there is locked, not written.
 */
const lockOrCreate = `insert into streams (name, head, floor)
  select name, 0, 0 from unnest($1::text[]) with ordinality as asked (name, place) order by place
  on conflict (name) do update set head = streams.head where false`

/** Its own statement, so that it sees what was committed while the locks were waited for. */
const readHeads = `select name, head, ${serverMs} as now from streams where name = any ($1::text[])`

/** For rows that are there; one that was moved while it was waited for is read again by PostgreSQL, with the time. */
const lockOne = `select name, head, ${serverMs} as now from streams where name = $1 for update`
const lockMany = `select streams.name, streams.head, ${serverMs} as now
  from unnest($1::text[]) with ordinality as asked (name, place) join streams on streams.name = asked.name
  order by place for update of streams`

/** For several use cases at once: whatever another holds is left out, so nobody waits and no order is needed. */
const lockFree = `select name, head, ${serverMs} as now from streams where name = any ($1::text[]) for update skip locked`

export const readTime: RunnableQuery = { name: 'hf_time', sql: `select ${serverMs} as now`, values: [] }

export class StreamLocks {
  readonly #known = new Set<StreamName>()

  /** They are there, as far as this node knows. */
  knows(names: readonly StreamName[]): boolean {
    return names.every((name) => this.#known.has(name))
  }

  lockFree(names: readonly StreamName[]): RunnableQuery {
    return { name: 'hf_lock_free', sql: lockFree, values: [names] }
  }

  /** Statements that lock the streams; the last one answers name, head and the time of each. */
  lock(names: readonly StreamName[]): RunnableQuery[] {
    if (!this.knows(names)) {
      return [
        { name: 'hf_lock_or_make', sql: lockOrCreate, values: [names] },
        { name: 'hf_heads', sql: readHeads, values: [names] },
      ]
    }
    if (names.length === 1) return [{ name: 'hf_lock_one', sql: lockOne, values: names }]
    return [{ name: 'hf_lock_many', sql: lockMany, values: [names] }]
  }

  /** They were committed: their rows stay. */
  committed(names: Iterable<StreamName>): void {
    if (this.#known.size >= maxKnown) this.#known.clear()
    for (const name of names) this.#known.add(name)
  }

  forget(names: Iterable<StreamName>): void {
    for (const name of names) this.#known.delete(name)
  }
}
