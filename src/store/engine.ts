/**
 * What an engine offers inside one transaction. The shared code above (transaction.ts, run-use-case.ts) is written against
 * this; what differs between SQLite and PostgreSQL stands behind it, in the two driver folders.
 */
import type { Instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './schema/tables.ts'
import type { RunnableQuery } from './statement.ts'

export type Row = Record<string, unknown>

export interface Engine {
  readonly dialect: Dialect
  execute(query: RunnableQuery): Row[] | Promise<Row[]>
}

export interface LockedStreams {
  readonly heads: Map<StreamName, number>
  /** The engine's own clock after it had the locks, where it has one that all nodes share. */
  readonly now?: Instant
}

export interface WritingEngine extends Engine {
  /** Locks the streams until the transaction ends, one after the other as given, and says where each one's head is. */
  lockStreams(names: readonly StreamName[]): LockedStreams | Promise<LockedStreams>
  /** May answer before the engine has done it; what fails then fails the transaction, at the latest when it commits. */
  write(query: RunnableQuery): void | Promise<void>
  /** Writes events and moves the heads of their streams; like `write`. */
  append(events: readonly Tables['events'][], heads: ReadonlyMap<StreamName, number>): void | Promise<void>
}
