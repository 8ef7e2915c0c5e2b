/** SQLite's error numbers, sorted by what follows from them. Nothing here reads a message's text. */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'

/** https://sqlite.org/rescode.html: the low byte is the primary code. */
const primary = { busy: 5, full: 13 } as const
/** No memory, read-only, I/O error, corrupt, cannot open, locking protocol, internal error, not a database. */
const engine = new Set([2, 7, 8, 10, 11, 14, 15, 26])
const unique = new Set([1555, 2067, 2579])

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined

/** A row with this key came first; run again, the use case sees it and decides anew. */
export const isUniqueViolation = (error: unknown): boolean => unique.has(codeOf(error) ?? 0)

/** No room on the disk: nothing was changed, and writing can go on when there is room again. */
export const isDiskFull = (error: unknown): boolean => ((codeOf(error) ?? 0) & 0xff) === primary.full

/** Another program holds the lock: nothing was changed, and writing can go on when it lets go. */
export const isLockedByOther = (error: unknown): boolean => ((codeOf(error) ?? 0) & 0xff) === primary.busy

/** SQLite itself failed, not a statement of ours. What it holds in memory is not to be trusted. */
export const isEngineFailure = (error: unknown): boolean => engine.has((codeOf(error) ?? 0) & 0xff)

/** What a reader of the store is told. Refusals and faults of ours go through as they are. */
export function toReadError(error: unknown): unknown {
  if (isLockedByOther(error)) return new Refusal('store_unavailable', refusalText('storeLocked'))
  if (isDiskFull(error) || isEngineFailure(error)) {
    return new Refusal('store_unavailable', refusalText('storeUnreadable', { why: String(error) }))
  }
  return error
}
