/**
 * Classifies PostgreSQL's error codes
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). Nothing here depends on the
 * text of a message, and no error that leaves here contains a value or a password: PostgreSQL's own
 * errors may quote rows.
 */

import pg from 'pg'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined

/** Whether PostgreSQL itself refused. Other errors come from the network or from this program. */
export const isServerAnswer = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError

export class ConnectionLost extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'ConnectionLost'
  }
}

/** A COMMIT was sent and not answered: only the database knows whether it happened. */
export class OutcomeUnknown extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'OutcomeUnknown'
  }
}

/** The row of a known stream no longer exists; the next run creates it. */
export class StreamGone extends Error {}

const serializationFailure = '40001'
const deadlockDetected = '40P01'
const uniqueViolation = '23505'
const lockNotAvailable = '55P03'
const completionUnknown = '40003'
const notInRepertoire = '22021'
const untranslatable = '22P05'
/**
 * Also a prepared statement whose table was changed by a node with a newer version; preparing it
 * again helps.
 */
const featureNotSupported = '0A000'

const retryableCodes = new Set([
  serializationFailure,
  deadlockDetected,
  uniqueViolation,
  featureNotSupported,
])

/** Whether another writer came first and nothing was changed: the use case can run again. */
export const isWriteRetryable = (error: unknown): boolean =>
  error instanceof StreamGone || retryableCodes.has(codeOf(error) ?? '')

/**
 * Whether the server is starting, stopping, full or unreachable, so that a later attempt may
 * succeed.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true
  const code = codeOf(error)
  if (code === undefined) return false
  // 08 connection, 53 resources (53300: too many connections), 57P01-57P05 shut down, starting up
  // or timed out, 25P03 and 25P04 ended in a transaction, the rest from the network.
  return /^(08|53)...$|^57P0[1-5]$|^25P0[34]$|^E(?!RR_)[A-Z_]+$/.test(code)
}

/** Whether a read may succeed on another connection or when prepared again. */
export const isReadRetryable = (error: unknown): boolean =>
  isUnavailable(error) || isWriteRetryable(error)

/**
 * Whether a statement or value of this program is wrong: unknown feature, cardinality, data,
 * constraint, statement name, cursor name, syntax, limits. Missing rights or tables (42501, 42P01)
 * and all other codes are the server's state.
 */
const isOurFault = (code: string): boolean => /^(0A|2[1236]|34|42|54|P0)(?!501|P01)...$/.test(code)

/** Whether a failed COMMIT certainly changed nothing, because the database refused it. */
export const isRolledBack = (error: unknown): boolean =>
  isServerAnswer(error) &&
  error.code !== completionUnknown &&
  /^(23|25|40)...$/.test(error.code ?? '')

/**
 * Converts an error for callers of the store. Refusals and programming errors are returned
 * unchanged.
 */
export function toStoreError(error: unknown): Error {
  if (error instanceof Refusal) return error
  if (error instanceof OutcomeUnknown) {
    return new Refusal('store_unavailable', refusalText('commitUnknown', { why: error.message }), {
      outcome: 'unknown',
    })
  }
  if (isUnavailable(error))
    return new Refusal('store_unavailable', refusalText('postgresAway', { why: reason(error) }))
  const code = codeOf(error)
  if (code === lockNotAvailable || code === serializationFailure || code === deadlockDetected) {
    return new Refusal('busy', refusalText('othersWrite'))
  }
  if (code === notInRepertoire || code === untranslatable)
    return new Refusal('invalid_request', refusalText('nulNotKept'))
  if (isServerAnswer(error) && !isOurFault(code ?? '')) {
    return new Refusal('store_unavailable', refusalText('postgresAway', { why: reason(error) }))
  }
  if (code !== undefined)
    return new Error(`PostgreSQL refused a statement (${code}): ${reason(error)}`)
  return error instanceof Error ? error : new Error(String(error))
}

/** The message without `detail` and `where`, which quote values. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // One host name with several addresses, each with its own failure.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map(reason).join('; ')
  return error.message || codeOf(error) || error.name
}
