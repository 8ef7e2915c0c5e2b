/**
 * What we ask of a connection, from the URL. The URL holds a password: it goes from here to the driver and nowhere else;
 * messages name the database as `describe` does.
 */
import type { ClientConfig } from 'pg'
import { StartFailure } from '../../platform/start-failure.ts'

const example = 'Set DATABASE_URL to postgres://user:password@host:5432/database'

const connectMs = 5000
/** A server that accepts and never answers, or a network that swallows: after this the connection is given up. */
const answerMs = 30_000
const keepAliveAfterMs = 10_000

export interface ConnectionOptions {
  readonly config: ClientConfig
  /** host:port/database, for people. */
  readonly address: string
  /** How long an answer may take; 0 is for ever. */
  readonly answerMs: number
}

export function connectionOptions(url: string): ConnectionOptions {
  const { parsed, address } = parseUrl(url)
  // As libpq and every other tool understand it: `require` encrypts, `verify-full` also proves who answers.
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
