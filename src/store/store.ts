/**
 * The contract of the store: state and event log in one commit, on SQLite or PostgreSQL.
 *
 * A use case is a function in a transaction (docs/architecture.md). `run` is the only way to write:
 * it runs the use case under the locks of the streams it decides about, and answers only after the
 * commit is durable. Which streams those are is found by running (log/run-use-case.ts). test/store
 * holds what every implementation must do; nothing outside src/store knows which one it has.
 */

import type { InputOn, Rights, Subject } from '../domain/access/rights.ts'
import type { RandomText } from '../domain/ids.ts'
import type { Instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { NewEvent } from '../protocol/events.ts'
import type { NewRow, Order, SomeColumns, Table } from './rows.ts'
import type { Tables } from './schema/tables.ts'
import type { QueryBuilder, Statement } from './statement.ts'

export interface Context {
  /** The store's clock at the start of the use case. */
  readonly now: Instant
  /** The server's time zone, an IANA name. */
  readonly timeZone: string
  readonly random: Randomness
}

export interface Randomness {
  readonly text: RandomText
  readonly uuid: () => string
  /** A secret of 256 bits with its kind as prefix, by which it is recognised and masked. */
  readonly secret: (kind: string) => string
}

/** Reads from one consistent snapshot. */
export interface Reader {
  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>
  first<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined>
  /** The row with this key, or else the first with these values. */
  row<Name extends Table>(
    table: Name,
    values: Partial<Tables[Name]>,
  ): Promise<Tables[Name] | undefined>
  /** The rows that have these values, in this order. */
  rows<Name extends Table>(
    table: Name,
    values: Partial<Tables[Name]>,
    ...order: readonly Order<Name>[]
  ): Promise<Tables[Name][]>
  /**
   * For the few queries whose shape depends on the input; compiled each time, so not for frequent
   * reads.
   */
  query<Row>(build: QueryBuilder<Row>): Promise<Row[]>
}

/** Writes, inside `run` only. */
export interface Tx extends Reader {
  write<Params>(statement: Statement<Params, unknown>, params: Params): Promise<void>
  /** Inserts a row; columns that are left out get their initial values. */
  insert<Name extends Table>(table: Name, row: NewRow<Name>): Promise<void>
  /** Inserts a row, or changes the one with the same key. */
  put<Name extends Table>(table: Name, row: NewRow<Name>): Promise<void>
  /** Updates the row with this key: those of the given columns that may change. */
  update<Name extends Table>(table: Name, given: SomeColumns<Name>): Promise<void>
  /** Deletes the row with this key, or else the rows that have these values. */
  delete<Name extends Table>(table: Name, values: Partial<Tables[Name]>): Promise<void>
  /**
   * Locks streams that are decided about and perhaps not appended to. In the run that commits every
   * lock was taken before the first read, so what was read before the call is not stale: a helper
   * may read a row and then lock its project.
   */
  lock(...streams: readonly StreamName[]): void
  /**
   * Appends an event, and a copy without body to each of `also`, and locks these streams. In the
   * run that commits the number is final: streams are dense and in commit order, and a rollback
   * leaves no gap. An event that contains its own number is passed as a function.
   */
  append(
    stream: StreamName,
    event: NewEvent | ((seq: number) => NewEvent),
    also?: readonly StreamName[],
  ): number
  /** Saves a run: the stream belongs to something created just now, so nobody else can hold it. */
  begin(stream: StreamName): void
}

interface UseCaseSteps<Input, Output, On extends Subject = Subject> extends Rights<On> {
  /** The streams that follow from the input alone: a hint, which saves a run. */
  readonly streams?: (input: Input) => readonly StreamName[]
  /**
   * For frequent use cases whose streams do not follow from the input: what the last commit with
   * this key locked is added to the hint. A wrong guess costs time, nothing else; a coarse key
   * locks streams of others.
   */
  readonly lockCacheKey?: (input: Input) => string
  /**
   * Loads, decides, writes, appends, returns plain data. Awaits nothing but `tx`. A thrown Refusal
   * changes nothing. May be called several times, and nothing of earlier runs exists then.
   */
  readonly run: (tx: Tx, input: Input, context: Context) => Promise<Output>
  /** The answer holds a secret, so its receipt is sealed with the caller's credential. */
  readonly answersSecret?: true
}

export interface UseCase<Input, Output> extends UseCaseSteps<Input, Output> {
  /** The name of its constant, in kebab case. */
  readonly name: string
}

interface QuerySteps<Input, Output, On extends Subject = Subject> extends Rights<On> {
  readonly run: (reader: Reader, input: Input, context: Omit<Context, 'random'>) => Promise<Output>
  /**
   * The answer comes from one statement, or from several that need not be consistent: no snapshot
   * is opened.
   */
  readonly withoutSnapshot?: true
}

export interface Query<Input, Output> extends QuerySteps<Input, Output> {
  readonly reads: true
  /** The name of its constant, in kebab case. */
  readonly name: string
}

/**
 * Lets a repeated request find its first answer (HT4), inside the transaction. Stored for 7 days.
 */
export interface ReceiptKey {
  readonly credentialId: string
  readonly operation: string
  readonly key: string
  /** The hash of the request's content; the same key with another content is refused. */
  readonly contentHash: string
  /** The secret that the caller presented; only it opens a sealed receipt. */
  readonly sealedBy: string
}

export interface StoredEvent {
  readonly stream: StreamName
  readonly seq: number
  readonly type: string
  readonly at: Instant
  /** The event's body as JSON, exactly as written; null for an `also` copy. */
  readonly data: string | null
  readonly refStream: StreamName | null
  readonly refSeq: number | null
}

export interface StreamPosition {
  /** The number of the newest event; 0 when there is none. */
  readonly head: number
  /** Events up to this number were trimmed; 0 when none were. */
  readonly floor: number
}

/**
 * Tells that a stream has moved, after the commit. Listeners read the log, so a lost notification
 * only delays an event.
 */
export interface Doorbell {
  on(stream: StreamName, listener: (head: number) => void): () => void
  onAny(listener: (stream: StreamName, head: number) => void): () => void
  /**
   * Sends a signal to the other nodes; it is not stored and may be lost. `at`: since when it is
   * true.
   */
  sendSignal(signal: string, at: number): void
  onSignal(signal: string, listener: (at: number) => void): () => void
}

export interface Store {
  /** The permanent id of this database; a copy keeps it. */
  readonly id: string
  /** Changes when the store is restored from a backup, which invalidates earlier cursors. */
  readonly incarnation: string
  readonly doorbell: Doorbell
  /**
   * Whether use cases run in the order of the calls; those of one turn of the event loop share a
   * commit.
   */
  readonly inOrder: boolean

  run<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt?: ReceiptKey,
  ): Promise<Output>
  /** Everything read inside `work` comes from one snapshot. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  query<Input, Output>(query: Query<Input, Output>, input: Input): Promise<Output>

  /** At most `limit` events of the stream with seq > after, in order. */
  eventsAfter(stream: StreamName, after: number, limit: number): Promise<StoredEvent[]>
  /** Positions of the named streams in the given order; a missing stream is at 0. */
  positions(streams: readonly StreamName[]): Promise<StreamPosition[]>
  /** Streams whose names follow `after`, in order, for readers of the whole log. */
  streamsAfter(after: string, limit: number): Promise<{ name: StreamName; head: number }[]>

  /**
   * Resolves when the store can be read and written; otherwise throws a Refusal
   * `store_unavailable`.
   */
  check(): Promise<void>
  /** Figures for operators (OP1). */
  figures(): StoreFigures
  /** Finishes accepted use cases, then closes. */
  close(): Promise<void>
}

export interface StoreFigures {
  readonly waiting: number
  readonly commits: number
  readonly useCases: number
  readonly refused: number
  /** Runs that were repeated because another writer came first or the connection was lost. */
  readonly retried: number
  /** Runs that were abandoned to lock more streams. */
  readonly abandoned: number
  readonly walBytes: number
}

// Each use case has an input of its own; its name is what matches them.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type UseCases = Record<string, UseCase<any, unknown>>

export const defineUseCase = <On extends Subject, Input extends InputOn<On>, Output>(
  name: string,
  steps: UseCaseSteps<Input, Output, On>,
): UseCase<Input, Output> => ({
  name,
  ...steps,
})

export const defineQuery = <On extends Subject, Input extends InputOn<On>, Output>(
  name: string,
  steps: QuerySteps<Input, Output, On>,
): Query<Input, Output> => ({
  reads: true,
  name,
  ...steps,
})
