/** What a client was told by an error: its code, whether it says when to come again, its causes. */
import { ProblemError, UnreachableError } from '../../../src/client/client.ts'

/** Code of the load's own failure, or of the client's. */
export function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.problem.code
  return error instanceof UnreachableError
    ? 'unreachable'
    : String((error as { code?: unknown }).code)
}

/** A refusal of ours that says when to come again. */
export function saysWhen(error: unknown): boolean {
  const cause = error instanceof ProblemError ? error : (error as Error).cause
  if (!(cause instanceof ProblemError)) return false
  return (
    cause.problem.status < 500 ||
    (cause.problem.code === 'store_unavailable' && cause.retryAfterSeconds !== undefined)
  )
}

/** What is behind an error, and what is behind that. */
export function causesOf(error: unknown): string {
  const texts: string[] = []
  for (let at = error; at instanceof Error && texts.length < 5; at = at.cause)
    texts.push(at.message)
  return texts.slice(1).join(', because: ')
}
