/** Failure of a command: what happened, what to do next, and the exit code. */
import { type ExitName, exitCodes } from './exit-codes.ts'

type FailureExit = Exclude<ExitName, 'ok' | 'conflict'>

/** Error codes of the catalogue for the same failure. */
const codeOf = {
  failed: 'failed',
  usage: 'usage',
  unreachable: 'unreachable',
  refused: 'unauthenticated',
  notFound: 'not_found',
  later: 'busy',
  interrupted: 'interrupted',
} as const satisfies Record<FailureExit, string>

/** Code for a question answered with no. */
export const declined = 'declined'

/** Ctrl-C in a command that can be left at any time. */
export const leftBy = (what: string): CommandFailure =>
  new CommandFailure('interrupted', `You have left ${what}.`, '', left)

const left = 'left'

/**
 * Whether an outcome is printed without the marks of a failure: declining and leaving are not
 * failures.
 */
export const isNoFailure = (code: string): boolean => code === declined || code === left

export class CommandFailure extends Error {
  readonly exit: FailureExit
  readonly next: string
  readonly code: string

  constructor(exit: FailureExit, message: string, next: string, code: string = codeOf[exit]) {
    super(message)
    this.name = 'CommandFailure'
    this.exit = exit
    this.next = next
    this.code = code
  }

  get exitCode(): number {
    return exitCodes[this.exit].code
  }
}

const failureOf =
  (exit: FailureExit) =>
  (message: string, next: string, code?: string): CommandFailure =>
    new CommandFailure(exit, message, next, code)

export const usage = failureOf('usage')
export const failed = failureOf('failed')
export const notFound = failureOf('notFound')
export const refused = failureOf('refused')

export const signedOut = (why = 'The credential is no longer valid.'): CommandFailure =>
  refused(why, 'Sign in again, or use another token.')
