/**
 * The store on PostgreSQL: a transaction for each use case, a snapshot for each read, doorbells to and from the other nodes.
 * Nothing in here is needed by another node, and nothing is acknowledged before its COMMIT was answered.
 */
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream/name.ts'
import { randomness } from '../../platform/randomness.ts'
import { LocalDoorbell } from '../doorbell.ts'
import type { Row } from '../engine.ts'
import { selectEventsAfter, selectStreamsAfter } from '../event-log.ts'
import type { Identity } from '../migrate.ts'
import { EngineReader } from '../reader.ts'
import { lockOrder, maxRuns, type Outcome, runUseCase } from '../run-use-case.ts'
import { bind, type RunnableQuery, type Statement } from '../statement.ts'
import type { Query, Reader, ReceiptKey, Store, StoredEvent, StoreFigures, StreamPosition, UseCase } from '../store.ts'
import { postgresDialect } from './dialect.ts'
import { isAway, isRunAgain, OutcomeUnknown, told } from './failures.ts'
import { HeadPoll } from './head-poll.ts'
import { NotifyBell } from './notify-bell.ts'
import type { PostgresPool } from './pool.ts'
import type { ServerTime } from './server-time.ts'
import { StreamLocks } from './stream-locks.ts'
import { StreamTurns } from './stream-turns.ts'
import { WriteTransaction } from './write-transaction.ts'
import type { PostgresConnection } from './connection.ts'

/** Use cases accepted and not yet answered; past this a caller is told `busy` instead of growing the queue. */
const maxAccepted = 20_000

const beginSnapshot: RunnableQuery = { name: 'hf_snapshot', sql: 'begin isolation level repeatable read, read only', values: [] }

const positionsSql = `select coalesce(head, 0) as head, coalesce(floor, 0) as floor
  from unnest($1::text[]) with ordinality as asked (name, place) left join streams using (name) order by place`

export interface PostgresParts {
  readonly identity: Identity
  readonly pool: PostgresPool
  readonly time: ServerTime
  /** Opens the connection that listens. */
  readonly openBell: () => Promise<PostgresConnection>
}

export class PostgresStore implements Store {
  readonly id: string
  readonly incarnation: string
  readonly doorbell = new LocalDoorbell()
  readonly #pool: PostgresPool
  readonly #time: ServerTime
  readonly #turns = new StreamTurns()
  readonly #locks = new StreamLocks()
  readonly #bell: NotifyBell
  readonly #poll: HeadPoll
  readonly #accepted = new Set<Promise<unknown>>()
  readonly #figures = { commits: 0, useCases: 0, refused: 0, retried: 0 }
  #closed: Promise<void> | undefined

  constructor({ identity, pool, time, openBell }: PostgresParts) {
    this.id = identity.id
    this.incarnation = identity.incarnation
    this.#pool = pool
    this.#time = time
    const ring = (heads: Iterable<readonly [StreamName, number]>): void => {
      this.doorbell.ring(heads)
      this.#poll.heard(heads)
    }
    this.#bell = new NotifyBell({
      // The incarnation, not the id: a copy beside the original must not ring here.
      channel: `holdfast_${identity.incarnation.replaceAll(/\W/g, '')}`,
      node: randomness.uuid(),
      open: openBell,
      ring,
    })
    this.#poll = new HeadPoll({
      execute: (query) => this.#once(query),
      listened: () => this.doorbell.streams,
      anyListened: () => this.doorbell.anyListened,
      ring: (heads) => this.doorbell.ring(heads),
      heardTime: (ms) => this.#time.heard(ms),
    })
  }

  /** Resolves when it has the server's time and has tried to listen. */
  async ready(): Promise<void> {
    await Promise.all([this.#poll.poll(), this.#bell.tried])
  }

  run<Input, Output>(useCase: UseCase<Input, Output>, input: Input, receipt?: ReceiptKey): Promise<Output> {
    if (this.#closed) return Promise.reject(new Refusal('shutting_down'))
    if (this.#accepted.size >= maxAccepted) return Promise.reject(new Refusal('busy'))
    const running = this.#inTurn(useCase, input, receipt)
    const settled = running.then(
      () => void this.#accepted.delete(settled),
      () => void this.#accepted.delete(settled),
    )
    this.#accepted.add(settled)
    return running
  }

  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const connection = await this.#acquire()
    // Sent, not waited for: the snapshot is taken by the first statement, which goes with it.
    connection.hold(beginSnapshot).catch(() => {})
    try {
      const execute = (query: RunnableQuery): Promise<Row[]> => connection.execute(query).catch((error) => Promise.reject(told(error)))
      return await work(new EngineReader({ dialect: postgresDialect, execute }))
    } finally {
      connection.rollback()
      this.#pool.release(connection)
    }
  }

  query<Input, Output>(query: Query<Input, Output>, input: Input): Promise<Output> {
    return this.read((reader) => query.run(reader, input, { now: this.#time.now() }))
  }

  eventsAfter(stream: StreamName, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#all(selectEventsAfter, { stream, after, limit })
  }

  async positions(streams: readonly StreamName[]): Promise<StreamPosition[]> {
    const rows = await this.#once({ name: 'hf_positions', sql: positionsSql, values: [streams] })
    return rows as unknown as StreamPosition[]
  }

  streamsAfter(after: string, limit: number): Promise<{ name: StreamName; head: number }[]> {
    return this.#all(selectStreamsAfter, { name: after, limit })
  }

  async check(): Promise<void> {
    await this.positions(['home'])
  }

  figures(): StoreFigures {
    return { waiting: this.#accepted.size, ...this.#figures, walBytes: 0 }
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

  async #inTurn<Input, Output>(useCase: UseCase<Input, Output>, input: Input, receipt: ReceiptKey | undefined): Promise<Output> {
    const streams = lockOrder(useCase, input)
    await this.#turns.take(streams)
    try {
      const { answer, heads } = await this.#untilDone(useCase, input, receipt)
      this.#figures.useCases++
      if (heads.size > 0) {
        this.doorbell.ring(heads)
        this.#poll.heard(heads)
        this.#bell.tell(heads)
      }
      return answer
    } catch (error) {
      const reply = told(error)
      if (reply instanceof Refusal) this.#figures.refused++
      throw reply
    } finally {
      this.#turns.give(streams)
    }
  }

  async #untilDone<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt: ReceiptKey | undefined,
  ): Promise<Outcome<Output>> {
    let doubt: OutcomeUnknown | undefined
    for (let run = 1; ; run++) {
      try {
        return await this.#runOnce(useCase, input, receipt)
      } catch (error) {
        if (error instanceof OutcomeUnknown) doubt = error
        // Run again after a commit of unknown outcome only with a receipt: if it did happen, that is what is found.
        const again = doubt ? receipt !== undefined && !(error instanceof Refusal) : isRunAgain(error) || isAway(error)
        if (!again || run === maxRuns) throw this.#giveUp(error, doubt, useCase.name)
        this.#figures.retried++
      }
    }
  }

  #giveUp(error: unknown, doubt: OutcomeUnknown | undefined, name: string): unknown {
    // A refusal of the second run is the answer; anything else leaves open what became of the first.
    if (doubt && !(error instanceof Refusal && !['busy', 'store_unavailable', 'shutting_down'].includes(error.code))) return doubt
    return isRunAgain(error) ? new Refusal('busy', `${name} met another writer ${maxRuns} times`) : error
  }

  async #runOnce<Input, Output>(
    useCase: UseCase<Input, Output>,
    input: Input,
    receipt: ReceiptKey | undefined,
  ): Promise<Outcome<Output>> {
    const connection = await this.#pool.acquire()
    const transaction = new WriteTransaction(connection, this.#time, this.#locks)
    try {
      const job = { input, receipt, now: this.#time.now() }
      const outcome = await runUseCase(transaction, useCase, job, randomness)
      await transaction.commit()
      this.#figures.commits++
      return outcome
    } catch (error) {
      transaction.rollback()
      throw error
    } finally {
      this.#pool.release(connection)
    }
  }

  async #acquire(): Promise<PostgresConnection> {
    if (this.#closed) throw new Refusal('shutting_down')
    return this.#pool.acquire()
  }

  /** One statement by itself, which is its own snapshot; repeated when the connection was lost, because it only reads. */
  async #once(query: RunnableQuery): Promise<Row[]> {
    for (let run = 1; ; run++) {
      const connection = await this.#acquire()
      try {
        return await connection.execute(query)
      } catch (error) {
        if (!(isAway(error) || isRunAgain(error)) || run === maxRuns) throw told(error)
      } finally {
        this.#pool.release(connection)
      }
    }
  }

  async #all<Params, Found>(statement: Statement<Params, Found>, params: Params): Promise<Found[]> {
    return (await this.#once(bind(postgresDialect, statement, params))) as Found[]
  }
}
