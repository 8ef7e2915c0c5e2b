/** Explains why a SQLite database cannot be used, and what to do about it. */
import { StartFailure } from '../../platform/processes/start-failure.ts'

/** https://sqlite.org/rescode.html: the low byte of SQLite's error numbers. */
const sqliteCode = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

export function explainSqlite(file: string, error: Error & { errcode?: number | null }): Error {
  const failure = (message: string, next: string): StartFailure =>
    new StartFailure(message, next, { cause: error })
  if (error.name === 'NewerDatabase')
    return failure(
      `${error.message}.`,
      'Start the newer Holdfast that wrote it; nothing was changed.',
    )
  if (error.name === 'NotOurDatabase')
    return failure(
      `${error.message}.`,
      'Move it away, or choose another folder with --data DIR; nothing was changed.',
    )
  switch ((error.errcode ?? 0) & 0xff) {
    case sqliteCode.corrupt:
    case sqliteCode.notADatabase:
      return failure(
        `The database ${file} is damaged (${error.message}).`,
        'Nothing was changed. Put a backup in its place, or move it away to begin with an empty one.',
      )
    case sqliteCode.full:
      return failure(
        `There is no space left for the database ${file}.`,
        'Free some space on that disk, then start again; nothing was lost.',
      )
    case sqliteCode.readOnly:
    case sqliteCode.cannotOpen:
      return failure(
        `The database ${file} cannot be opened for writing (${error.message}).`,
        'Give yourself rights on it and its folder, then start again.',
      )
    case sqliteCode.ioError:
      return failure(
        `The disk failed under the database ${file} (${error.message}).`,
        'Check the disk and the free space, then start again.',
      )
    case sqliteCode.busy:
      return failure(
        `Another program holds the database ${file}.`,
        'Close it (a database browser, a backup tool), then start again.',
      )
    default:
      return error
  }
}
