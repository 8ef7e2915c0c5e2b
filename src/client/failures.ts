/** The failures of a request: the server refused it, or there was no answer from Holdfast. */
import type { Problem } from '../protocol/problem.ts'

export class ProblemError extends Error {
  readonly problem: Problem
  readonly retryAfterSeconds: number | undefined
  /** The route that refused, as in the list of routes; undefined when there is none. */
  route: { readonly method: string; readonly path: string } | undefined

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail)
    this.name = 'ProblemError'
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** There was no answer, or it did not come from Holdfast. */
export class UnreachableError extends Error {
  readonly url: string
  /** `timeout`: no answer in time; `foreign`: another program answered. */
  readonly reason: 'network' | 'timeout' | 'foreign'

  constructor(url: string, reason: UnreachableError['reason'], cause?: unknown) {
    super(`${words[reason]} ${url || 'the server'}`, { cause })
    this.name = 'UnreachableError'
    this.url = url
    this.reason = reason
  }
}

const words = {
  network: 'Nothing answers at',
  timeout: 'No answer came in time from',
  foreign: 'Something else than Holdfast answers at',
} as const

/** Reads the refusal in an answer; undefined when it is not Holdfast's. */
export async function problemIn(response: Response): Promise<ProblemError | undefined> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json'))
    return undefined
  const body: unknown = await response.json().catch(() => undefined)
  if (!isProblem(body)) return undefined
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ProblemError(body, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

function isProblem(body: unknown): body is Problem {
  const { code, detail, title, status } = (body ?? {}) as Partial<Problem>
  return (
    typeof code === 'string' &&
    typeof detail === 'string' &&
    typeof title === 'string' &&
    typeof status === 'number'
  )
}
