/**
 * The contract of the store: state and event log in one commit, on SQLite or PostgreSQL.
 *
 * A use case is a function in a transaction (docs/architecture.md). `run` is the only way to write: it locks the streams
 * the use case names, in order of their names, runs it, and answers only after the commit is durable. test/store holds
 * what every implementation must do; nothing outside src/store knows which one it has.
 */

import type { RandomText } from '../domain/ids.ts'
import type { Instant } from '../domain/instant.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { NewEvent } from '../protocol/events.ts'
import type { QueryBuilder, Statement } from './statement.ts'

export interface Context {
  /** The store's clock at the start of the use case. */
  readonly now: Instant
  readonly random: Randomness
}

export interface Randomness {
  readonly text: RandomText
  readonly uuid: () => string
  /** A secret of 256 bits with its kind in front, so that it is recognised and masked wherever it turns up. */
  readonly secret: (kind: string) => string
}

/** Reading, from one consistent snapshot. */
export interface Reader {
  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]>
  first<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined>
  /** For the few queries whose shape depends on the input; compiled each time, so never on a hot path. */
  query<Row>(build: QueryBuilder<Row>): Promise<Row[]>
}

/** Writing, inside `run` only. */
export interface Tx extends Reader {
  write<Params>(statement: Statement<Params, unknown>, params: Params): Promise<void>
  /**
   * Puts an event at the end of a stream that the use case named, and a bodyless copy into each of `also`.
   * The number is final: streams are dense and in commit order, and a rollback leaves no hole. An event that says its own
   * number is made with it.
   */
  append(stream: StreamName, event: NewEvent | ((seq: number) => NewEvent), also?: readonly StreamName[]): number
  /** Begins the stream of a thing made just now, whose name `streams` could not know. One that exists already is a fault. */
  begin(stream: StreamName): void
}

export interface UseCase<Input, Output> {
  /** The name of its constant, in kebab case. */
  readonly name: string
  /** Every stream it decides about or appends to; the store locks these before it runs. */
  readonly streams: (input: Input) => readonly StreamName[]
  /** Loads, decides, writes, appends, returns plain data. Awaits nothing but `tx`. A thrown Refusal changes nothing. */
  readonly run: (tx: Tx, input: Input, context: Context) => Promise<Output>
  /** Its answer holds a secret, so its receipt is sealed with the caller's own credential. */
  readonly answersSecret?: true
}

export interface Query<Input, Output> {
  readonly name: string
  readonly run: (reader: Reader, input: Input, context: { readonly now: Instant }) => Promise<Output>
  /** Its answer comes from one statement, or from several that need not agree: no snapshot has to be opened around them. */
  readonly withoutSnapshot?: true
}

/** Makes a repeated request find its first answer (HT4): looked up first, inside the transaction. Kept 7 days. */
export interface ReceiptKey {
  readonly credentialId: string
  readonly operation: string
  readonly key: string
  /** Of the request's whole content; the same key with another content is refused. */
  readonly contentHash: string
  /** The presented secret of the caller; only it can open a sealed receipt. */
  readonly sealedBy: string
}

export interface StoredEvent {
  readonly stream: StreamName
  readonly seq: number
  readonly type: string
  readonly at: Instant
  /** The event's body as JSON text, exactly as it was written; null for an `also` copy. */
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

/** "Stream s is at n", rung after a commit. Losing a ring costs latency, never an event: whoever waits reads the log. */
export interface Doorbell {
  on(stream: StreamName, listener: (head: number) => void): () => void
  onAny(listener: (stream: StreamName, head: number) => void): () => void
  /** Said to the other nodes and kept nowhere: whoever listens for this word there hears it, or does not. `at`: since when it is true. */
  sendSignal(word: string, at: number): void
  onSignal(word: string, listener: (at: number) => void): () => void
}

export interface Store {
  /** Names this database for ever; a copy keeps it. */
  readonly id: string
  /** Changes when the store is restored from a backup, so that no cursor from before is believed. */
  readonly incarnation: string
  readonly doorbell: Doorbell
  /** Use cases are run in the order in which they are asked for, and those asked for in one breath share a commit. */
  readonly inOrder: boolean

  run<Input, Output>(useCase: UseCase<Input, Output>, input: Input, receipt?: ReceiptKey): Promise<Output>
  /** Everything read inside `work` comes from one snapshot. */
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  query<Input, Output>(query: Query<Input, Output>, input: Input): Promise<Output>

  /** At most `limit` events of the stream with seq > after, in order. */
  eventsAfter(stream: StreamName, after: number, limit: number): Promise<StoredEvent[]>
  /** Positions of the named streams, in the order asked for; a stream that does not exist is at 0. */
  positions(streams: readonly StreamName[]): Promise<StreamPosition[]>
  /** Streams whose names follow `after`, in order of name: how a log reader finds all of them. */
  streamsAfter(after: string, limit: number): Promise<{ name: StreamName; head: number }[]>

  /** Resolves when the store can be read and written; throws a Refusal `store_unavailable` that says why not. */
  check(): Promise<void>
  /** What operators watch (OP1). */
  figures(): StoreFigures
  /** Finishes what was accepted, then closes. */
  close(): Promise<void>
}

export interface StoreFigures {
  readonly waiting: number
  readonly commits: number
  readonly useCases: number
  readonly refused: number
  readonly retried: number
  readonly walBytes: number
}

export const defineUseCase = <Input, Output>(useCase: UseCase<Input, Output>): UseCase<Input, Output> => useCase
export const defineQuery = <Input, Output>(query: Query<Input, Output>): Query<Input, Output> => query
