/**
 * Reports a failed command: what happened, what to do next, and the code; as JSON for programs.
 * Never a trace or a secret.
 */

import { ProblemError, UnreachableError } from '../client/failures.ts'
import type { ErrorCode } from '../domain/errors.ts'
import { mask, maskDeep } from '../platform/log/mask.ts'
import { visible } from '../platform/log/visible.ts'
import { StartFailure } from '../platform/processes/start-failure.ts'
import type { Problem } from '../protocol/problem.ts'
import { exitCodes, exitOfCode } from './exit-codes.ts'
import { CommandFailure, isNoFailure } from './failure.ts'
import { asTyped, startCommand } from './program-name.ts'
import { type Environment, painter, type Terminal } from './terminal.ts'

interface Report {
  readonly exitCode: number
  readonly message: string
  readonly next: string
  readonly code: string
  /** The problem as it came over HTTP, or in the same form for a local failure. */
  readonly json: Readonly<Record<string, unknown>>
}

export function report(error: unknown, terminal: Terminal, json: boolean): number {
  const { exitCode, message, next, code, json: problem } = reportOf(error, terminal.env)
  if (json) {
    terminal.stderr.write(`${JSON.stringify(maskDeep({ ...problem, exitCode }))}\n`)
    return exitCode
  }
  const paint = painter(terminal.stderr, terminal.env)
  if (isNoFailure(code)) {
    terminal.stderr.write(`${message}\n`)
    return exitCode
  }
  const [first = '', ...others] = mask(message).split('\n').map(visible)
  const lines = [
    `${paint('red', '✗')} ${paint('bold', first)}`,
    ...others,
    ...(next ? [`  ${visible(mask(asTyped(next, terminal.env)))}`] : []),
    `  ${paint('dim', code)}`,
  ]
  terminal.stderr.write(`${lines.join('\n')}\n`)
  return exitCode
}

function reportOf(error: unknown, env: Environment): Report {
  if (error instanceof ProblemError) {
    const { code, detail: message } = error.problem
    return {
      exitCode: exitOfCode(code),
      message,
      next: nextFor(error.problem),
      code,
      json: error.problem,
    }
  }
  if (error instanceof UnreachableError) {
    const next = `Start it with \`${startCommand(env)}\`, or ask \`holdfast doctor\` what is wrong.`
    return local(exitCodes.unreachable.code, 'unreachable', `${error.message}.`, next)
  }
  if (error instanceof CommandFailure)
    return local(error.exitCode, error.code, error.message, error.next)
  if (error instanceof StartFailure)
    return local(error.exitCode, 'cannot_start', error.message, error.next)
  const message = error instanceof Error ? error.message : String(error)
  const next = 'If this looks like a mistake of ours, please report it with what you typed.'
  return local(exitCodes.failed.code, 'failed', message, next)
}

/** Advice that differs from the catalogue's, which addresses writers of HTTP requests. */
const nextHere: Readonly<Record<string, string>> = {
  invalid_request: 'Correct the value; --help shows what is meant.',
  wrong_state: '',
  missing_scope: 'Ask an owner for a role or a token that allows it.',
  invalid_setting: '`holdfast projects show PROJECT --all` lists every setting.',
} satisfies Partial<Record<ErrorCode, string>>

/** Command that lists the ids, by kind of the missing item. */
const listOf: Readonly<Record<string, string>> = {
  taskId: 'tasks',
  key: 'conversations',
  day: 'notes',
  launchId: 'processes',
  approvalId: 'approvals',
  workSessionId: 'work',
  coordinatorId: 'coordinators',
  worktreeId: 'worktrees',
}

function nextFor(problem: Problem): string {
  const { code, next } = problem
  const list =
    code === 'not_found' ? Object.keys(listOf).find((field) => field in problem) : undefined
  return list ? `\`holdfast ${listOf[list]}\` lists them.` : (nextHere[code] ?? next ?? '')
}

const local = (exitCode: number, code: string, message: string, next: string): Report => ({
  exitCode,
  message,
  next,
  code,
  json: { title: message.split('\n')[0], detail: message, code, next },
})
