/** A command that cannot be done, in the words its reader needs: what happened, what to do next, and how the process ends. */
import { type ExitName, exitCodes } from './exit-codes.ts'

type FailureExit = Exclude<ExitName, 'ok' | 'conflict'>

/** The catalogue's words where it has one for the same thing. */
const codeOf = {
  failed: 'failed',
  usage: 'usage',
  unreachable: 'unreachable',
  refused: 'unauthenticated',
  notFound: 'not_found',
  later: 'busy',
  interrupted: 'interrupted',
} as const satisfies Record<FailureExit, string>

/** The code of a question that was answered with no. */
export const declined = 'declined'

/** Ctrl-C in something that can be left at any time. */
export const leftBy = (what: string): CommandFailure => new CommandFailure('interrupted', `You have left ${what}.`, '', left)

const left = 'left'

/** No is an answer, and leaving is no failure: said without the marks of one. */
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

export const usage = (message: string, next: string): CommandFailure => new CommandFailure('usage', message, next)
