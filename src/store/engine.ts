/**
 * The operations of an engine inside one transaction. Shared code (transaction.ts, run-use-case.ts)
 * uses this interface; the differences between SQLite and PostgreSQL are in the two driver folders.
 */
import type { Instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { Dialect } from './dialect.ts'
import type { Tables } from './schema/tables.ts'
import type { RunnableQuery } from './statement.ts'

export type Row = Record<string, unknown>

/** Whether it certainly only reads. A statement that writes may return rows too (`returning`). */
export const isSelect = (sql: string): boolean => sql.startsWith('select')

export interface Engine {
  readonly dialect: Dialect
  execute(query: RunnableQuery): Row[] | Promise<Row[]>
}

export interface LockedStreams {
  readonly heads: Map<StreamName, number>
  /** The engine's clock, read after the locks were taken, if all nodes share it. */
  readonly now?: Instant
}

export interface WritingEngine extends Engine {
  /**
   * Locks the streams until the transaction ends, in the given order, and returns the head of each.
   */
  lockStreams(names: readonly StreamName[]): LockedStreams | Promise<LockedStreams>
  /**
   * Locks another stream while a use case runs and returns its head. Returns undefined where that
   * would need an order of locks: the run is then abandoned, and what it has written is dropped.
   */
  lockAnother(name: StreamName): number | undefined
  /**
   * May return before the engine has executed it. A later failure fails the transaction, at the
   * latest at commit.
   */
  write(query: RunnableQuery): void | Promise<void>
  /** Writes events and moves the heads of their streams. Fails like `write`. */
  append(
    events: readonly Tables['events'][],
    heads: ReadonlyMap<StreamName, number>,
  ): void | Promise<void>
}
