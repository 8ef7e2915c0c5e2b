/** Exit codes, and the exit code of each error of the catalogue. --help shows the same table. */
import { type ErrorCode, errorCatalogue } from '../domain/errors.ts'

export const exitCodes = {
  ok: { code: 0, about: 'It was done' },
  failed: { code: 1, about: 'It failed, here or on the server' },
  usage: { code: 2, about: 'The command, a value or the configuration is not right' },
  unreachable: { code: 3, about: 'The server cannot be reached' },
  refused: { code: 4, about: 'No credential, or one that does not allow it' },
  notFound: { code: 5, about: 'There is no such thing' },
  conflict: { code: 6, about: 'It does not fit the state things are in' },
  later: { code: 7, about: 'Not now; the same may succeed later' },
  interrupted: { code: 130, about: 'Interrupted by Ctrl-C' },
} as const

export type ExitName = keyof typeof exitCodes
type ExitCode = (typeof exitCodes)[ExitName]['code']

/** Exit codes by the HTTP status of an error; other failures of the server are `failed`. */
const exitOfStatus: Readonly<Record<number, ExitName>> = {
  400: 'usage',
  401: 'refused',
  403: 'refused',
  404: 'notFound',
  405: 'usage',
  409: 'conflict',
  413: 'usage',
  415: 'usage',
  422: 'usage',
  429: 'later',
  503: 'later',
}

/** Unknown codes of a newer server are failures. */
export function exitOfCode(code: string): ExitCode {
  const entry = Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code as ErrorCode] : undefined
  return exitCodes[(entry && exitOfStatus[entry.status]) ?? 'failed'].code
}
