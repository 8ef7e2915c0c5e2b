/**
 * A connection to the database file. The settings it relies on are set and read back: a missing
 * durability would otherwise show only at a power cut. Statements are prepared once.
 */

import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Dialect } from '../dialect.ts'
import { isSelect, type LockedStreams, type Row, type WritingEngine } from '../engine.ts'
import { insertEvent, moveHead, selectPosition } from '../log/event-log.ts'
import type { Tables } from '../schema/tables.ts'
import { bind, builderFor, type RunnableQuery } from '../statement.ts'

/**
 * Wraps `limit ?` in an expression. A bare parameter made a statement over four tables take 30 µs
 * instead of 5, most likely because SQLite plans again by the bound value.
 */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    this.append('limit cast(')
    this.visitNode(node.limit)
    this.append(' as integer)')
  }
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  builder: builderFor({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new Compiler(),
  }),
  text: 'text',
  clustered: 'without rowid',
  search: {
    // Without text and positions: matches are compared with the messages themselves. The tokenizer
    // `ascii` splits only at ASCII punctuation and spaces, which terms do not contain.
    createTerms: [
      `create virtual table search_terms using fts5(terms, content='', contentless_delete=1, detail=none, tokenize='ascii')`,
    ],
    terms: (terms) => sql<string>`${terms}`,
    // Lower-case terms with optional stars are valid FTS5 queries: its keywords are in capitals.
    hasAll: (wanted) => sql<boolean>`search_terms match ${wanted}`,
  },
}

const maxKnown = 10_000

/**
 * Caches the heads of recently written streams, so that a use case need not read them: only this
 * connection moves them. Cleared on every rollback; a wrong head would be refused by the key of the
 * events.
 */
export class HeadCache {
  readonly #heads = new Map<StreamName, number>()
  #unfinished = false

  of(stream: StreamName): number | undefined {
    return this.#heads.get(stream)
  }

  moved(stream: StreamName, head: number): void {
    if (this.#heads.size >= maxKnown) this.#heads.clear()
    this.#heads.set(stream, head)
  }

  before(command: string): void {
    const begins = command.startsWith('begin')
    // SQLite itself rolls back a transaction that met a full disk, without a command.
    if (command.startsWith('rollback') || (begins && this.#unfinished)) this.#heads.clear()
    if (begins) this.#unfinished = true
  }

  committed(): void {
    this.#unfinished = false
  }
}

const chunkBytes = 1024 * 1024

/**
 * Rewrites and syncs the write-ahead log that a crashed process left (RE3), before SQLite opens it.
 * After a failed sync the system may return bytes that are not on the disk, and a later sync does
 * not write them. SQLite would copy such a log into the database, and a power cut could then put
 * its older half over newer pages.
 */
function rewriteWal(path: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return
  const log = openSync(path, 'r+')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let at = 0, length = 0; ; at += length) {
      const found = readSync(log, chunk, 0, chunkBytes, at)
      if (found === 0) break
      length = writeSync(log, chunk, 0, found, at)
    }
    fsyncSync(log)
  } finally {
    closeSync(log)
  }
}

/** 'HOLD' in ASCII: marks the file as a Holdfast database. */
const applicationId = 0x484f4c44
const busyTimeoutMs = 5000
/**
 * The most prepared statements of a connection. The fixed ones are far fewer; the rest are lists
 * with filters.
 */
const maxPrepared = 500
const pageCacheKiB = 8 * 1024
/**
 * The size at which the write-ahead log is copied into the database. Its file is cut back to
 * `walLimitBytes` (RE7: 64 MiB).
 */
const checkpointPages = 2000
const walLimitBytes = 32 * 1024 * 1024
/** Long read snapshots keep the log from restarting; above this size the writer waits for them. */
const walTooLargeBytes = 48 * 1024 * 1024
/** The interval of size checks; no disk writes the rest of RE7's bound in that time. */
const walCheckIntervalMs = 5

interface Prepared {
  readonly statement: StatementSync
  /** The columns of its rows; empty for a write. */
  readonly columns: readonly string[]
  /** True when it certainly only reads; others may only read as well. */
  readonly reads: boolean
}

export class NotOurDatabase extends Error {
  constructor(file: string) {
    super(`${file} is an SQLite database, but not one of Holdfast's`)
    this.name = 'NotOurDatabase'
  }
}

export class SqliteConnection implements WritingEngine {
  readonly dialect = sqliteDialect
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()
  readonly #knownHeads = new HeadCache()
  #writes = 0
  #lookedAtLog = Number.NEGATIVE_INFINITY

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  static openWriter(file: string): SqliteConnection {
    rewriteWal(`${file}-wal`)
    const connection = new SqliteConnection(
      new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true }),
    )
    connection.#claim(file)
    connection.#set('journal_mode', 'wal')
    connection.#set('synchronous', 'full', 2)
    connection.#set('wal_autocheckpoint', checkpointPages)
    connection.#set('journal_size_limit', walLimitBytes)
    connection.#pragma(`cache_size = -${pageCacheKiB}`)
    connection.#pragma('trusted_schema = off')
    return connection
  }

  static openReader(file: string): SqliteConnection {
    const connection = new SqliteConnection(
      new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true }),
    )
    connection.#pragma('trusted_schema = off')
    return connection
  }

  execute({ sql, values }: RunnableQuery): Row[] {
    const { statement, columns, reads } = this.#prepare(sql)
    if (!reads) this.#writes++
    return (statement.all(...(values as SQLInputValue[])) as unknown as unknown[][]).map((fields) =>
      rowOf(columns, fields),
    )
  }

  lockStreams(names: readonly StreamName[]): LockedStreams {
    // The transaction holds the only write lock, so the heads cannot move.
    const heads = new Map<StreamName, number>()
    for (const name of names) heads.set(name, this.lockAnother(name))
    return { heads }
  }

  lockAnother(name: StreamName): number {
    return this.#knownHeads.of(name) ?? this.#readHead(name)
  }

  write(query: RunnableQuery): void {
    this.execute(query)
  }

  append(events: readonly Tables['events'][], heads: ReadonlyMap<StreamName, number>): void {
    for (const event of events) this.execute(bind(this.dialect, insertEvent, event))
    for (const [name, head] of heads) {
      this.execute(bind(this.dialect, moveHead, { name, head }))
      this.#knownHeads.moved(name, head)
    }
  }

  command(sql: string): void {
    this.#knownHeads.before(sql)
    // Not `run`: that also reads the last row id, which the search index can make too large.
    this.#prepare(sql).statement.all()
    if (sql === 'commit') this.#knownHeads.committed()
  }

  /** The number of executed statements that may have changed something. */
  get writes(): number {
    return this.#writes
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction
  }

  /**
   * Called between transactions: waits up to `busyTimeoutMs` for the readers that keep the log
   * long.
   */
  limitWalSize(): void {
    const now = performance.now()
    if (now - this.#lookedAtLog < walCheckIntervalMs) return
    this.#lookedAtLog = now
    const log = statSync(`${this.#db.location()}-wal`, { throwIfNoEntry: false })
    if ((log?.size ?? 0) < walTooLargeBytes) return
    try {
      this.#pragma('wal_checkpoint(truncate)')
    } catch {
      // Committed data is safe in the log. If the disk has failed, the next commit fails and
      // reports it.
    }
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    this.command('begin immediate')
    try {
      await work()
      this.command('commit')
    } catch (error) {
      if (this.inTransaction) this.command('rollback')
      throw error
    }
  }

  close(): void {
    this.#prepared.clear()
    this.#db.close()
  }

  #readHead(name: StreamName): number {
    const [row] = this.execute(bind(this.dialect, selectPosition, { name }))
    return (row?.['head'] as number | undefined) ?? 0
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql)
    if (!prepared) {
      if (this.#prepared.size >= maxPrepared) this.#prepared.clear()
      const statement = this.#db.prepare(sql)
      statement.setReturnArrays(true)
      prepared = {
        statement,
        columns: statement.columns().map(({ name }) => name),
        reads: isSelect(sql),
      }
      this.#prepared.set(sql, prepared)
    }
    return prepared
  }

  /**
   * Marks a new file as Holdfast's; refuses another program's database before anything is written.
   */
  #claim(file: string): void {
    const found = this.#pragma('application_id')
    if (found === applicationId) return
    const [tables] = this.execute({ sql: 'select count(*) as n from sqlite_schema', values: [] })
    if (found !== 0 || tables?.['n'] !== 0) throw new NotOurDatabase(file)
    this.#pragma(`application_id = ${applicationId}`)
  }

  #set(name: string, value: string | number, readBack: string | number = value): void {
    this.#pragma(`${name} = ${value}`)
    const found = this.#pragma(name)
    if (found !== readBack)
      throw new Error(`SQLite has ${name} = ${found} although ${value} was set`)
  }

  #pragma(text: string): unknown {
    const row = this.#db.prepare(`pragma ${text}`).get()
    return row && Object.values(row)[0]
  }
}

/**
 * Builds rows of one shape. node:sqlite's rows are dictionaries, and reading 50 messages from those
 * took twice as long.
 */
function rowOf(columns: readonly string[], fields: readonly unknown[]): Row {
  const row: Row = {}
  for (let at = 0; at < columns.length; at++) row[columns[at] as string] = fields[at]
  return row
}
