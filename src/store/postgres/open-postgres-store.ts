/**
 * Opens the store on PostgreSQL. Waits for a server that is unavailable or starting and reports
 * that. A server that refuses access or is not durable gives a StartFailure that says what to do.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { instant } from '../../domain/instant.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { randomness } from '../../platform/secrets/randomness.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { selectMeta } from '../meta.ts'
import { eraseDeletedData, type Identity, migrate, NewerDatabase } from '../migrate.ts'
import { bind } from '../statement.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'
import { type ConnectionOptions, connectionOptions } from './connection-options.ts'
import { postgresDialect } from './dialect.ts'
import { codeOf, isUnavailable, reason } from './failures.ts'
import { MigratingConnection } from './migrating-connection.ts'
import { PostgresPool } from './pool.ts'
import { PostgresStore } from './postgres-store.ts'
import { ServerTime } from './server-time.ts'

const defaultPoolSize = 20
const defaultPatienceMs = 5000
const defaultWaitMs = 60_000
const defaultPollMs = 500
const firstPauseMs = 100
const maxPauseMs = 2000

export interface PostgresOptions {
  /** postgres://user:password@host:port/database, with the options of psql after `?`. */
  readonly url: string
  /** PostgreSQL's clock when left out. Tests pass their own. */
  readonly clock?: Clock
  /** Connections of this node besides the listening one. */
  readonly poolSize?: number
  /** How long a request waits for a connection, or for PostgreSQL to come back. */
  readonly patienceMs?: number
  /** The longest wait at the start for an unavailable PostgreSQL. */
  readonly waitMs?: number
  readonly onWaiting?: (message: string) => void
  readonly signal?: AbortSignal | undefined
  /** The interval of the poll for streams that moved without a notification. */
  readonly pollMs?: number
}

export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const connection = connectionOptions(options.url)
  const { identity, opened } = await prepare(connection, options)
  const open = async (): Promise<PostgresConnection> =>
    sameStore(await PostgresConnection.open(connection), identity)
  const pool = new PostgresPool({
    size: options.poolSize ?? defaultPoolSize,
    patienceMs: options.patienceMs ?? defaultPatienceMs,
    open,
  })
  const time = new ServerTime(options.clock)
  // The migrating connection becomes the listening one: connecting is most of the cost of a start.
  const left = [opened]
  const openBell = async (): Promise<PostgresConnection> => left.pop() ?? open()
  const store = new PostgresStore({
    identity,
    pool,
    time,
    openBell,
    pollMs: options.pollMs ?? defaultPollMs,
  })
  await store.ready()
  return store
}

interface Prepared {
  readonly identity: Identity
  /** The connection on which the identity was read. */
  readonly opened: PostgresConnection
}

/** Connects, waiting within the limit, and migrates the schema to this version. */
async function prepare(connection: ConnectionOptions, options: PostgresOptions): Promise<Prepared> {
  const { waitMs = defaultWaitMs, onWaiting, signal } = options
  const deadline = performance.now() + waitMs
  for (let pause = firstPauseMs, lastMessage = ''; ; pause = Math.min(pause * 2, maxPauseMs)) {
    try {
      return await migrateOnce(connection, options)
    } catch (error) {
      if (!isUnavailable(error)) throw explain(error, connection.address)
      const message = `Waiting for PostgreSQL at ${connection.address}: ${reason(error)}`
      if (performance.now() + pause > deadline)
        throw didNotAnswer(connection.address, waitMs, reason(error))
      if (message !== lastMessage) onWaiting?.(message)
      lastMessage = message
      await wait(pause, undefined, { signal })
    }
  }
}

async function migrateOnce(
  options: ConnectionOptions,
  { clock }: PostgresOptions,
): Promise<Prepared> {
  const connection = await MigratingConnection.open(options)
  try {
    const identity = await migrate(
      connection,
      instant(clock ? clock.now() : Date.now()),
      randomness.uuid,
    )
    await eraseDeletedData(connection, ['vacuum full agents'])
    return { identity, opened: await connection.intoOrdinary(options) }
  } catch (error) {
    await connection.end()
    throw error
  }
}

/**
 * Checks that the address still leads to the same store: after a restore no cursor would be valid.
 */
async function sameStore(
  connection: PostgresConnection,
  identity: Identity,
): Promise<PostgresConnection> {
  try {
    const [row] = await connection.execute(
      bind(postgresDialect, selectMeta, { key: 'incarnation' }),
    )
    if (row?.['value'] === identity.incarnation) return connection
    throw new StartFailure('The database was replaced by another one.', 'Start the server again.')
  } catch (error) {
    await connection.end()
    throw error
  }
}

const didNotAnswer = (address: string, waitMs: number, why: string): StartFailure =>
  new StartFailure(
    `PostgreSQL at ${address} did not come within ${waitMs / 1000} s: ${why}.`,
    'Start it, or check host and port in DATABASE_URL.',
  )

function explain(error: unknown, address: string): Error {
  if (error instanceof StartFailure) return error
  if (error instanceof NewerDatabase) {
    return new StartFailure(
      `${error.message}.`,
      'Start the newer Holdfast that wrote it; nothing was changed.',
    )
  }
  switch (codeOf(error)) {
    case '28P01':
    case '28000':
      return new StartFailure(
        `PostgreSQL at ${address} does not let us in: ${reason(error)}.`,
        'Check user and password in DATABASE_URL.',
      )
    case '3D000':
      return new StartFailure(
        `There is no such database: ${address}.`,
        'Create it (createdb --encoding=UTF8 NAME), or check DATABASE_URL.',
      )
    case '3F000':
      return new StartFailure(
        `The schema that the URL names is not there: ${reason(error)}.`,
        'Create it (create schema NAME), or check search_path.',
      )
    case '42501':
      return new StartFailure(
        `The user of DATABASE_URL may not create tables at ${address}: ${reason(error)}.`,
        'Give it a database of its own, or: grant create on schema public to USER.',
      )
    default:
      return error instanceof Error && codeOf(error) === undefined
        ? error
        : new StartFailure(
            `PostgreSQL at ${address} cannot be used: ${reason(error)}.`,
            'Check DATABASE_URL and the log of PostgreSQL.',
          )
  }
}
