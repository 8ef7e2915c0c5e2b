/**
 * The store on PostgreSQL: a transaction for each use case, a snapshot for each read, doorbells
 * between nodes. Keeps no state that another node needs, and acknowledges nothing before its COMMIT
 * is answered.
 */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import { machineTimeZone as timeZone } from '../../platform/time/local-zone.ts'
import type { Row } from '../engine.ts'
import { LocalDoorbell } from '../log/doorbell.ts'
import { selectEventsAfter, selectStreamsAfter } from '../log/event-log.ts'
import { EngineReader } from '../log/reader.ts'
import { maxRuns } from '../log/run-use-case.ts'
import type { Identity } from '../migrate.ts'
import { bind, type RunnableQuery, type Statement } from '../statement.ts'
import type {
  Query,
  Reader,
  ReceiptKey,
  Store,
  StoredEvent,
  StoreFigures,
  StreamPosition,
  UseCase,
} from '../store.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import { isReadRetryable, toStoreError } from './failures.ts'
import { HeadPoll } from './head-poll.ts'
import { NotifyBell } from './notify-bell.ts'
import type { PostgresPool } from './pool.ts'
import type { ServerTime } from './server-time.ts'
import { UseCaseRunner } from './use-case-runner.ts'

/** The most use cases accepted and not yet answered; more are refused with `busy`. */
const maxAccepted = 20_000

const beginSnapshot: RunnableQuery = {
  name: 'hf_snapshot',
  sql: 'begin isolation level repeatable read, read only',
  values: [],
}

const positionsSql = 'select name, head, floor from streams where name = any ($1::text[])'
const emptyPosition: StreamPosition = { head: 0, floor: 0 }

const replaced = (): Refusal => new Refusal('store_unavailable', refusalText('storeReplaced'))

type Execute = (query: RunnableQuery) => Promise<Row[]>

export interface PostgresOptions {
  readonly identity: Identity
  readonly pool: PostgresPool
  readonly time: ServerTime
  readonly openBell: () => Promise<PostgresConnection>
  readonly pollMs: number
}

export class PostgresStore implements Store {
  readonly id: string
  readonly incarnation: string
  readonly doorbell = new LocalDoorbell()
  readonly inOrder = false
  readonly #pool: PostgresPool
  readonly #time: ServerTime
  readonly #runner: UseCaseRunner
  readonly #bell: NotifyBell
  readonly #poll: HeadPoll
  readonly #accepted = new Set<Promise<unknown>>()
  /** A backup was restored while this node ran: its cursors are no longer valid. */
  #replaced = false
  #closed: Promise<void> | undefined

  constructor({ identity, pool, time, openBell, pollMs }: PostgresOptions) {
    this.id = identity.id
    this.incarnation = identity.incarnation
    this.#pool = pool
    this.#time = time
    this.#runner = new UseCaseRunner(pool, time)
    this.#bell = new NotifyBell({
      // The incarnation, not the id: a copy of the database must not ring here.
      channel: `holdfast_${identity.incarnation.replaceAll(/\W/g, '')}`,
      node: randomness.uuid(),
      open: openBell,
      ring: this.#ring,
      heard: (signal, at) => this.doorbell.receiveSignal(signal, at),
    })
    this.doorbell.forwardSignal = (signal, at) => this.#bell.notifySignal(signal, at)
    this.#poll = new HeadPoll({
      everyMs: pollMs,
      execute: (query) => this.#once(query),
      listened: () => this.doorbell.streams,
      anyListened: () => this.doorbell.anyListened,
      ring: (heads) => this.doorbell.ring(heads),
      heardTime: (ms) => this.#time.heard(ms),
      heardIncarnation: (incarnation) => {
        this.#replaced ||= incarnation !== identity.incarnation
      },
    })
  }

  /** Resolves after the first poll and the first attempt to listen. */
  async ready(): Promise<void> {
    await Promise.all([this.#poll.poll(), this.#bell.tried])
  }

  run<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt?: ReceiptKey,
  ): Promise<Output> {
    if (this.#closed) return Promise.reject(new Refusal('shutting_down'))
    if (this.#replaced) return Promise.reject(replaced())
    if (this.#accepted.size >= maxAccepted) return Promise.reject(new Refusal('busy'))
    const running = this.#runAndRing(useCase, input, receipt)
    const settled = running.then(
      () => void this.#accepted.delete(settled),
      () => void this.#accepted.delete(settled),
    )
    this.#accepted.add(settled)
    return running
  }

  read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#reading(async (execute, connection) => {
      // Not awaited: the first statement, sent with it, takes the snapshot.
      connection.hold(beginSnapshot).catch(() => {})
      try {
        return await work(new EngineReader({ dialect: postgresDialect, execute }))
      } finally {
        connection.rollback()
      }
    })
  }

  query<Input, Output>(query: Query<Input, Output>, input: Input): Promise<Output> {
    return this.read((reader) => query.run(reader, input, { now: this.#time.now(), timeZone }))
  }

  eventsAfter(stream: StreamName, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#all(selectEventsAfter, { stream, after, limit })
  }

  async positions(streams: readonly StreamName[]): Promise<StreamPosition[]> {
    const rows = await this.#once({ name: 'hf_positions', sql: positionsSql, values: [streams] })
    const found = new Map(
      rows.map(({ name, head, floor }) => [name, { head, floor } as StreamPosition]),
    )
    return streams.map((name) => found.get(name) ?? emptyPosition)
  }

  streamsAfter(after: string, limit: number): Promise<{ name: StreamName; head: number }[]> {
    return this.#all(selectStreamsAfter, { name: after, limit })
  }

  async check(): Promise<void> {
    await this.positions(['home'])
  }

  figures(): StoreFigures {
    return { waiting: this.#accepted.size, ...this.#runner.figures, walBytes: 0 }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await Promise.all(this.#accepted)
    await this.#poll.close()
    await this.#bell.close()
    await this.#pool.close()
  }

  async #runAndRing<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt?: ReceiptKey,
  ): Promise<Output> {
    try {
      const { answer, heads } = await this.#runner.run(useCase, input, receipt)
      if (heads.size > 0) {
        this.#ring(heads)
        this.#bell.notifyHeads(heads)
      }
      return answer
    } catch (error) {
      throw toStoreError(error)
    }
  }

  readonly #ring = (heads: Iterable<readonly [StreamName, number]>): void => {
    this.doorbell.ring(heads)
    this.#poll.heard(heads)
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#closed) throw new Refusal('shutting_down')
    if (this.#replaced) throw replaced()
    return this.#pool.acquire()
  }

  /** Runs a single statement, which is its own snapshot. */
  #once(query: RunnableQuery): Promise<Row[]> {
    return this.#reading((execute) => execute(query))
  }

  /**
   * Runs a read, and again on another connection when one of its statements failed with its
   * connection.
   */
  async #reading<T>(
    work: (execute: Execute, connection: PostgresConnection) => Promise<T>,
  ): Promise<T> {
    for (let run = 1; ; run++) {
      const connection = await this.#acquire()
      let failure: unknown
      const execute: Execute = (query) =>
        connection.execute(query).catch((error) => {
          failure ??= error
          throw toStoreError(error)
        })
      try {
        return await work(execute, connection)
      } catch (error) {
        if (!isReadRetryable(failure) || run === maxRuns) throw error
      } finally {
        this.#pool.release(connection)
      }
    }
  }

  async #all<Params, Found>(statement: Statement<Params, Found>, params: Params): Promise<Found[]> {
    return (await this.#once(bind(postgresDialect, statement, params))) as Found[]
  }
}
