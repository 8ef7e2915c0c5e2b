/**
 * The driver's options for a database URL. Only the driver gets its password; messages name the
 * database by its address.
 */
import type { ClientConfig } from 'pg'
import { StartFailure } from '../../platform/processes/start-failure.ts'

const example = 'Set DATABASE_URL to postgres://user:password@host:5432/database'

const connectMs = 5000
/** After this time without an answer the connection is given up. */
const answerMs = 30_000
const keepAliveAfterMs = 10_000

export interface ConnectionOptions {
  readonly config: ClientConfig
  /** host:port/database, for messages. */
  readonly address: string
  /** The longest wait for an answer; 0 is unlimited. */
  readonly answerMs: number
}

export function connectionOptions(url: string): ConnectionOptions {
  const { parsed, address } = parseUrl(url)
  // As in libpq: require encrypts, verify-full also verifies the server.
  if (parsed.searchParams.has('sslmode') && !parsed.searchParams.has('uselibpqcompat')) {
    parsed.searchParams.set('uselibpqcompat', 'true')
  }
  return {
    address,
    answerMs,
    config: {
      connectionString: parsed.href,
      application_name: parsed.searchParams.get('application_name') ?? 'holdfast',
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
    },
  }
}

function parseUrl(url: string): { parsed: URL; address: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new StartFailure('The database URL cannot be read as postgres://….', example)
  }
  const database = decodeURIComponent(parsed.pathname.slice(1))
  if (!database) throw new StartFailure('The database URL names no database.', example)
  return {
    parsed,
    address: `${parsed.searchParams.get('host') ?? decodeURIComponent(parsed.hostname)}:${parsed.port || 5432}/${database}`,
  }
}
