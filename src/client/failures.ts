/** How a request can fail: the server refused it, or there was no server to refuse it. */
import type { Problem } from '../protocol/problem.ts'

/** The server answered, and the answer is no. */
export class ProblemError extends Error {
  readonly problem: Problem
  readonly retryAfterSeconds: number | undefined
  /** Which route refused, as the list of routes has it; undefined when none was asked. */
  route: { readonly method: string; readonly path: string } | undefined

  constructor(problem: Problem, retryAfterSeconds?: number) {
    super(problem.detail)
    this.name = 'ProblemError'
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** No answer came, or it did not come from Holdfast. */
export class UnreachableError extends Error {
  readonly url: string
  /** `timeout`: connected or not, nothing came in time; `foreign`: something else answers there. */
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

/** Reads the refusal out of an answer; undefined when it is none of ours. */
export async function problemIn(response: Response): Promise<ProblemError | undefined> {
  if (!response.headers.get('content-type')?.startsWith('application/problem+json')) return undefined
  const body: unknown = await response.json().catch(() => undefined)
  if (!isProblem(body)) return undefined
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ProblemError(body, Number.isFinite(retryAfter) ? retryAfter : undefined)
}

function isProblem(body: unknown): body is Problem {
  const { code, detail, title, status } = (body ?? {}) as Partial<Problem>
  return typeof code === 'string' && typeof detail === 'string' && typeof title === 'string' && typeof status === 'number'
}
