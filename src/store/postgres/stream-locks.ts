/**
 * Stream locks make decisions about a stream serial: its row is locked until the transaction ends.
 * Rows are always locked in the given order, also those that do not exist yet, so deadlock is
 * impossible.
 */
import type { StreamName } from '../../domain/stream-name.ts'
import type { RunnableQuery } from '../statement.ts'
import type { UseCase } from '../store.ts'
import { serverMs } from './server-time.ts'

/** The most stream names remembered as committed; beyond this all are forgotten. */
const maxKnown = 100_000

/**
 * Locks each row in the given order and creates missing ones, so that two transactions creating the
 * same stream wait for each other. `where false`: an existing row is locked, not written.
 */
const lockOrCreate = `insert into streams (name, head, floor)
  select name, 0, 0 from unnest($1::text[]) with ordinality as asked (name, place) order by place
  on conflict (name) do update set head = streams.head where false`

/** A separate statement, so that it sees what was committed during the wait for the locks. */
const readHeads = `select name, head, ${serverMs} as now from streams where name = any ($1::text[])`

/**
 * For existing rows. PostgreSQL reads a row again that changed during the wait, and the time with
 * it.
 */
const lockOne = `select name, head, ${serverMs} as now from streams where name = $1 for update`
const lockMany = `select streams.name, streams.head, ${serverMs} as now
  from unnest($1::text[]) with ordinality as asked (name, place) join streams on streams.name = asked.name
  order by place for update of streams`

/** For a group of use cases: skips locked rows, so it never waits and needs no order. */
const lockFree = `select name, head, ${serverMs} as now from streams where name = any ($1::text[]) for update skip locked`

export const readTime: RunnableQuery = {
  name: 'hf_time',
  sql: `select ${serverMs} as now`,
  values: [],
}

export class StreamLocks {
  readonly #known = new Set<StreamName>()

  /** Whether all these streams exist, as far as this node knows. */
  knows(names: readonly StreamName[]): boolean {
    return names.every((name) => this.#known.has(name))
  }

  lockFree(names: readonly StreamName[]): RunnableQuery {
    return { name: 'hf_lock_free', sql: lockFree, values: [names] }
  }

  /** The statements that lock the streams; the last one returns name, head and time of each. */
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

  committed(names: Iterable<StreamName>): void {
    if (this.#known.size >= maxKnown) this.#known.clear()
    for (const name of names) this.#known.add(name)
  }

  forget(names: Iterable<StreamName>): void {
    for (const name of names) this.#known.delete(name)
  }
}

/** The most keys of use cases whose streams are remembered; the oldest are forgotten. */
const maxKeys = 10_000

/**
 * What the last commit of a use case locked, by its `lockCacheKey`. A guess at what the next one
 * locks.
 */
export class LockCache {
  readonly #streams = new Map<string, readonly StreamName[]>()

  guess<Input>(useCase: UseCase<Input, unknown>, input: Input): readonly StreamName[] {
    const key = keyOf(useCase, input)
    return (key !== undefined && this.#streams.get(key)) || []
  }

  committed<Input>(
    useCase: UseCase<Input, unknown>,
    input: Input,
    streams: ReadonlySet<StreamName>,
  ): void {
    const key = keyOf(useCase, input)
    if (key === undefined) return
    this.#streams.delete(key)
    this.#streams.set(key, [...streams])
    const [oldest] = this.#streams.keys()
    if (this.#streams.size > maxKeys && oldest !== undefined) this.#streams.delete(oldest)
  }
}

const keyOf = <Input>(useCase: UseCase<Input, unknown>, input: Input): string | undefined =>
  useCase.lockCacheKey && `${useCase.name} ${useCase.lockCacheKey(input)}`
