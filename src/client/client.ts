/**
 * The typed client (LB1): requests and answers are typed from the list of routes. Works in Node and
 * in browsers without a schema library. Writes carry an idempotency key, so a retry after a lost
 * answer never repeats them (HT4). Credentials are sent only in the Authorization header.
 */
import type * as z from 'zod'
import type { Clock } from '../platform/time/clock.ts'
import type { Page } from '../protocol/page.ts'
import type { Routes } from '../protocol/routes.ts'
import { backoffMs, clientClock, pause } from './backoff.ts'
import { ProblemError, problemIn, UnreachableError } from './failures.ts'
import { requestPath } from './request-path.ts'

// The client's types, derived from the list of routes. Types only.

type AnyRoute = Routes[keyof Routes]
/** Answers that are not JSON have their own functions (event-stream.ts). */
type JsonRoute = Exclude<AnyRoute, { media: string }>

type Method = JsonRoute['method']
type PathOf<M extends Method> = Extract<JsonRoute, { method: M }>['path']
type RouteAt<M extends Method, P> = Extract<JsonRoute, { method: M; path: P }>

type Given<Name extends string, Schema> = undefined extends Schema
  ? { [Key in Name]?: Schema }
  : { [Key in Name]: Schema }
type Whole<Name extends string, Shape> =
  Record<string, never> extends Shape ? { [Key in Name]?: Shape } : { [Key in Name]: Shape }

/**
 * Optional are the fields that the schema makes optional; the others have their type after parsing.
 */
type QueryShape<Schema extends z.ZodType> = {
  [Key in keyof z.input<Schema>]: Key extends keyof z.output<Schema> ? z.output<Schema>[Key] : never
}

type ParamsOf<R> = R extends { params: infer Schema extends z.ZodType }
  ? { params: z.input<Schema> }
  : { params?: undefined }
type QueryOf<R> = R extends { query: infer Schema extends z.ZodType }
  ? Whole<'query', QueryShape<Schema>>
  : { query?: undefined }
type BodyOf<R> = R extends { body: infer Schema extends z.ZodType }
  ? Given<'body', z.input<Schema>>
  : { body?: undefined }

interface RequestOptions {
  /** The same key returns the first answer (HT4). Generated when left out. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  /** Attempts after a transient failure; 2 when left out. */
  readonly retries?: number
  /** The request outlives the page that sends it. */
  readonly keepalive?: boolean
}

/** Distributes over the routes, so that parameters of different routes are not mixed. */
type RequestOf<R> = R extends AnyRoute
  ? RequestOptions & ParamsOf<R> & QueryOf<R> & BodyOf<R>
  : never
type AnswerOf<R> = R extends { answer: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined

/** The options may be left out when none is required. */
type Arguments<R> =
  Record<string, never> extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]

export { ProblemError, UnreachableError } from './failures.ts'

export interface ClientOptions {
  /** `http://127.0.0.1:4747`; empty in a page that the server has sent. */
  readonly url: string
  /** Left out in a browser, which uses the cookie. */
  readonly token?: string
  readonly fetch?: typeof fetch
  readonly clock?: Clock
  readonly random?: () => number
}

const defaultTimeoutMs = 30_000
/** A hundred MiB over a slow connection. */
const uploadTimeoutMs = 30 * 60_000
const defaultRetries = 2
/** The largest page of a list (protocol/page.ts). */
const maxPage = 200
const retryBackoff = { firstMs: 150, maxMs: 2_000 }
/** A longer Retry-After is not awaited here. */
const maxRetryAfterMs = 5_000
/** Statuses of a proxy whose server does not answer. */
const gatewayStatuses = new Set([502, 503, 504])

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...request: Arguments<RouteAt<M, P>>
) => Promise<AnswerOf<RouteAt<M, P>>>

type ListPath = {
  [P in PathOf<'GET'>]: AnswerOf<RouteAt<'GET', P>> extends Page<unknown> ? P : never
}[PathOf<'GET'>]
type ItemOf<P extends ListPath> =
  AnswerOf<RouteAt<'GET', P>> extends Page<infer Item> ? Item : never

type UploadPath = Extract<PathOf<'PUT'>, `${string}/artifacts/{name}`>

export interface Upload extends RequestOptions {
  readonly params: Readonly<Record<string, string>>
  readonly body: Blob
  readonly type?: string | undefined
}

export interface Client {
  readonly url: string
  readonly get: Call<'GET'>
  readonly post: Call<'POST'>
  readonly put: Call<'PUT'>
  readonly patch: Call<'PATCH'>
  readonly delete: Call<'DELETE'>
  /**
   * Iterates over all items of a list, page by page, the largest pages there are unless `limit`
   * says otherwise.
   */
  pages<P extends ListPath>(
    path: P,
    ...request: Arguments<RouteAt<'GET', P>>
  ): AsyncGenerator<ItemOf<P>, void, undefined>
  /** Uploads bytes (CK5). Sent once: repeating it stores the same. */
  upload<P extends UploadPath>(path: P, upload: Upload): Promise<AnswerOf<RouteAt<'PUT', P>>>
  /** The raw response, for answers that are not JSON (event-stream.ts). Sent once. */
  open(
    path: string,
    init: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal },
  ): Promise<Response>
}

interface AnyRequest extends RequestOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export function createClient(options: ClientOptions): Client {
  const url = options.url.replace(/\/+$/, '')
  const { token, clock = clientClock, random = Math.random } = options
  // Called as a plain function: a browser's fetch must not be called as a method.
  const callFetch: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init))
  const credential: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}

  const open: Client['open'] = async (path, { headers, signal }) => {
    try {
      return await callFetch(url + path, {
        headers: { ...headers, ...credential },
        signal: signal ?? null,
        redirect: 'error',
      })
    } catch (error) {
      throw signal?.aborted ? signal.reason : new UnreachableError(url, 'network', error)
    }
  }

  /** Aborts at the timeout, or when the caller does. */
  async function send(
    path: string,
    request: RequestOptions,
    timeoutMs: number,
    init: RequestInit,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(request.timeoutMs ?? timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
    const headers = { accept: 'application/json', ...credential, ...init.headers }
    try {
      return await answerIn(
        url,
        await callFetch(url + path, { ...init, headers, signal, redirect: 'error' }),
      )
    } catch (error) {
      if (error instanceof ProblemError || error instanceof UnreachableError) throw error
      if (request.signal?.aborted) throw request.signal.reason
      throw new UnreachableError(url, timeout.aborted ? 'timeout' : 'network', error)
    }
  }

  async function call(method: Method, path: string, request: AnyRequest = {}): Promise<unknown> {
    const target = requestPath(path, request.params, request.query)
    const key = method === 'GET' ? undefined : (request.idempotencyKey ?? newId())
    const body = request.body === undefined ? null : JSON.stringify(request.body)
    const headers = {
      ...(key && { 'idempotency-key': key }),
      ...(body !== null && { 'content-type': 'application/json' }),
    }
    for (let attempt = 0; ; attempt++) {
      try {
        const { keepalive = false } = request
        return await send(target, request, defaultTimeoutMs, { method, headers, body, keepalive })
      } catch (error) {
        if (error instanceof ProblemError) error.route = { method, path }
        const waitMs =
          attempt < (request.retries ?? defaultRetries)
            ? waitBeforeRetry(error, attempt, random)
            : undefined
        if (waitMs === undefined) throw error
        await pause(clock, waitMs, request.signal)
      }
    }
  }

  async function* pages(
    path: string,
    request: AnyRequest = {},
  ): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | null | undefined
    do {
      const query = { limit: maxPage, ...request.query, ...(cursor && { cursor }) }
      const page = (await call('GET', path, { ...request, query })) as Page<unknown>
      yield* page.items
      // A repeated cursor would never end.
      cursor = page.nextCursor === cursor ? null : page.nextCursor
    } while (cursor)
  }

  async function upload(
    path: string,
    { params, body, type, ...request }: Upload,
  ): Promise<unknown> {
    const headers = { 'content-type': type ?? 'application/octet-stream' }
    return send(requestPath(path, params), request, uploadTimeoutMs, {
      method: 'PUT',
      headers,
      body,
    })
  }

  const bind = (method: Method) => (path: string, request?: AnyRequest) =>
    call(method, path, request)
  // The types above describe each call; the server validates with the same list.
  return {
    url,
    get: bind('GET'),
    post: bind('POST'),
    put: bind('PUT'),
    patch: bind('PATCH'),
    delete: bind('DELETE'),
    pages,
    upload,
    open,
  } as Client
}

async function answerIn(url: string, response: Response): Promise<unknown> {
  const { ok, status } = response
  if (!ok) {
    const reason = gatewayStatuses.has(status) ? 'network' : 'foreign'
    throw (
      (await problemIn(response)) ??
      new UnreachableError(url, reason, new Error(`status ${status}`))
    )
  }
  if (status === 204) return undefined
  if (!response.headers.get('content-type')?.startsWith('application/json'))
    throw new UnreachableError(url, 'foreign')
  return response.json()
}

/**
 * Undefined when the request must not be repeated. A timeout is not repeated: the caller has waited
 * long enough.
 */
function waitBeforeRetry(
  error: unknown,
  attempt: number,
  random: () => number,
): number | undefined {
  if (error instanceof UnreachableError)
    return error.reason === 'network' ? backoffMs(retryBackoff, attempt, random) : undefined
  if (!(error instanceof ProblemError) || error.problem.status !== 503) return undefined
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000
  return askedMs > maxRetryAfterMs
    ? undefined
    : Math.max(askedMs, backoffMs(retryBackoff, attempt, random))
}

/** Not crypto.randomUUID: browsers have it only on https and localhost. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
