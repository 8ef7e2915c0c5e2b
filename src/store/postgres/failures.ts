/**
 * PostgreSQL's error codes (https://www.postgresql.org/docs/current/errcodes-appendix.html), sorted by what follows from
 * them. Nothing here reads a message's text, and nothing that leaves here carries a value or a password: PostgreSQL's own
 * errors may quote rows.
 */

import pg from 'pg'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** PostgreSQL itself has answered, with a no. Anything else is the network's word or ours. */
export const isServerAnswer = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError

/** The connection is gone, or was never there. */
export class ConnectionLost extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'ConnectionLost'
  }
}

/** A COMMIT was sent and its answer never came: only the database knows whether it happened. */
export class OutcomeUnknown extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'OutcomeUnknown'
  }
}

/** A stream's row that was there is not there any more: run again, it is made anew. */
export class StreamGone extends Error {}

const serializationFailure = '40001'
const deadlockDetected = '40P01'
const uniqueViolation = '23505'
const lockNotAvailable = '55P03'
const completionUnknown = '40003'
const notInRepertoire = '22021'
const untranslatable = '22P05'
/** Also: a prepared statement whose table was changed by a node with a newer version. Prepared anew, it works. */
const featureNotSupported = '0A000'

const retryableCodes = new Set([serializationFailure, deadlockDetected, uniqueViolation, featureNotSupported])

/** Another writer came first and nothing was changed; run again, the use case decides anew. */
export const isWriteRetryable = (error: unknown): boolean =>
  error instanceof StreamGone || retryableCodes.has(codeOf(error) ?? '')

/** The server is starting, stopping, full or unreachable: what did not work may work in a moment. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true
  const code = codeOf(error)
  if (code === undefined) return false
  // 08 connection, 53 resources (53300: too many connections), 57P01-57P05 shut down, starting up or timed out, 25P03 and 25P04 ended in a transaction, the rest from the network.
  return /^(08|53)...$|^57P0[1-5]$|^25P0[34]$|^E(?!RR_)[A-Z_]+$/.test(code)
}

/** What only reads may work on another connection, or when it is prepared anew. */
export const isReadRetryable = (error: unknown): boolean => isUnavailable(error) || isWriteRetryable(error)

/**
 * A statement or a value of ours is wrong: unknown feature, cardinality, data, constraint, statement name, cursor name, syntax, limits. Not
 * ours: rights or tables that somebody took away (42501, 42P01). Whatever else PostgreSQL says is about its own state.
 */
const isOurFault = (code: string): boolean => /^(0A|2[1236]|34|42|54|P0)(?!501|P01)...$/.test(code)

/** A failed COMMIT that certainly changed nothing: the database itself said no. */
export const isRolledBack = (error: unknown): boolean =>
  isServerAnswer(error) && error.code !== completionUnknown && /^(23|25|40)...$/.test(error.code ?? '')

/** What the caller of the store is told. Refusals and faults of ours go through as they are. */
export function toStoreError(error: unknown): Error {
  if (error instanceof Refusal) return error
  if (error instanceof OutcomeUnknown) {
    return new Refusal('store_unavailable', refusalText('commitUnknown', { why: error.message }), { outcome: 'unknown' })
  }
  if (isUnavailable(error)) return new Refusal('store_unavailable', refusalText('postgresAway', { why: reason(error) }))
  const code = codeOf(error)
  if (code === lockNotAvailable || code === serializationFailure || code === deadlockDetected) {
    return new Refusal('busy', refusalText('othersWrite'))
  }
  if (code === notInRepertoire || code === untranslatable) return new Refusal('invalid_request', refusalText('nulNotKept'))
  if (isServerAnswer(error) && !isOurFault(code ?? '')) {
    return new Refusal('store_unavailable', refusalText('postgresAway', { why: reason(error) }))
  }
  if (code !== undefined) return new Error(`PostgreSQL refused a statement (${code}): ${reason(error)}`)
  return error instanceof Error ? error : new Error(String(error))
}

/** Its words without its details: `detail` and `where` quote values. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Several addresses of one name, each with its own failure.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reason).join('; ')
  return error.message || codeOf(error) || error.name
}
