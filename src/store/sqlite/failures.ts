/** Classifies SQLite's error numbers. Nothing here depends on the text of a message. */

import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'

/** https://sqlite.org/rescode.html: the low byte is the primary code. */
const primary = { busy: 5, full: 13 } as const
/**
 * No memory, read-only, I/O error, corrupt, cannot open, locking protocol, internal error, not a
 * database.
 */
const engine = new Set([2, 7, 8, 10, 11, 14, 15, 26])
const unique = new Set([1555, 2067, 2579])

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : undefined

/** Whether another row has the same key: run again, the use case sees that row. */
export const isUniqueViolation = (error: unknown): boolean => unique.has(codeOf(error) ?? 0)

/** Whether the disk is full: nothing was changed, and writing can continue when there is space. */
export const isDiskFull = (error: unknown): boolean =>
  ((codeOf(error) ?? 0) & 0xff) === primary.full

/**
 * Whether another program holds the lock: nothing was changed, and writing can continue when it is
 * released.
 */
export const isLockedByOther = (error: unknown): boolean =>
  ((codeOf(error) ?? 0) & 0xff) === primary.busy

/**
 * Whether SQLite itself failed, not a statement. Its state in memory cannot be trusted afterwards.
 */
export const isEngineFailure = (error: unknown): boolean => engine.has((codeOf(error) ?? 0) & 0xff)

/**
 * Converts an error for readers of the store. Refusals and programming errors are returned
 * unchanged.
 */
export function toReadError(error: unknown): unknown {
  if (isLockedByOther(error)) return new Refusal('store_unavailable', refusalText('storeLocked'))
  if (isDiskFull(error) || isEngineFailure(error)) {
    return new Refusal('store_unavailable', refusalText('storeUnreadable', { why: String(error) }))
  }
  return error
}
