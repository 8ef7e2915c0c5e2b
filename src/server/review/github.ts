/**
 * The API of GitHub, as far as landing needs it (LD7): who a token is of, and one pull request for
 * a branch. Redirects are not followed, so a token reaches no other host.
 */
import * as z from 'zod'
import { Refusal } from '../../domain/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pause } from '../../platform/time/clock.ts'

const requestMs = 20_000
const maxTries = 5
const maxWaitMs = 30_000

export interface PullRequest {
  readonly number: number
  readonly url: string
  readonly state: string
}

const FoundPull = z.object({ number: z.int(), html_url: z.string(), state: z.string() })
const FoundUser = z.object({ login: z.string() })

/** Where the API of a host may be; the first that answers counts. */
export function apisOf(host: string): string[] {
  if (host === 'github.com') return ['https://api.github.com']
  const base = `${schemeOf(host)}://${host}`
  return [`${base}/api/v3`, base]
}

const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

/** http is for this machine alone. */
export const schemeOf = (host: string): 'http' | 'https' => (loopback.test(host) ? 'http' : 'https')

export class GitHub {
  readonly #api: string
  readonly #token: string
  readonly #clock: Clock

  constructor(api: string, token: string, clock: Clock) {
    this.#api = api
    this.#token = token
    this.#clock = clock
  }

  /** Undefined: there is no such API here. */
  async account(): Promise<string | undefined> {
    const { status, body } = await this.#ask('GET', '/user')
    if (status === 404) return undefined
    if (status !== 200) throw refused(status, body)
    return FoundUser.safeParse(body).data?.login ?? ''
  }

  /** Opens a pull request, unless one of this branch is open. */
  async pullRequest(wanted: {
    readonly repository: string
    readonly head: string
    readonly base: string
    readonly title: string
    readonly text: string
  }): Promise<PullRequest> {
    const { repository, head, base, title, text } = wanted
    const [owner = ''] = repository.split('/')
    const path = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}/pulls`
    const query = new URLSearchParams({ head: `${owner}:${head}`, state: 'open', base })
    const found = await this.#ask('GET', `${path}?${query}`)
    if (found.status !== 200) throw refused(found.status, found.body)
    const [open] = z.array(FoundPull).catch([]).parse(found.body)
    if (open) return pullOf(open)
    const made = await this.#ask('POST', path, { title, head, base, body: text })
    if (made.status === 422) {
      // Made by a request whose answer was lost.
      const again = await this.#ask('GET', `${path}?${query}`)
      const [other] = z.array(FoundPull).catch([]).parse(again.body)
      if (other) return pullOf(other)
    }
    if (made.status !== 201) throw refused(made.status, made.body)
    return pullOf(FoundPull.parse(made.body))
  }

  /** Waits when the host says so, and tries again when it fails, a bounded number of times. */
  async #ask(method: 'GET' | 'POST', path: string, body?: object) {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(method, path, body)
      const isBusy =
        answer.status === 429 || answer.status === 403 ? answer.waitMs !== undefined : false
      const isFailed = answer.status >= 500
      if ((!isBusy && !isFailed) || attempt === maxTries) return answer
      // A write that failed may have been done: it is looked for before it is made again.
      if (isFailed && method === 'POST') return { ...answer, status: 422 }
      await pause(this.#clock, Math.min(answer.waitMs ?? attempt * 500, maxWaitMs))
    }
  }

  async #once(method: string, path: string, body?: object) {
    const response = await fetch(`${this.#api}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(requestMs),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${this.#token}`,
        'user-agent': 'holdfast',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Refusal('host_refused', error instanceof Error ? error.message : String(error))
    })
    const after = response.headers.get('retry-after')
    const text = await response.text()
    return {
      status: response.status,
      waitMs: after === null ? undefined : Number(after) * 1000,
      body: parsed(text),
    }
  }
}

const pullOf = ({ number, html_url: url, state }: z.output<typeof FoundPull>): PullRequest => ({
  number,
  url,
  state,
})

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Message = z.object({ message: z.string() })

const refused = (status: number, body: unknown): Refusal =>
  new Refusal('host_refused', `${status} ${Message.safeParse(body).data?.message ?? ''}`.trim(), {
    status,
  })
