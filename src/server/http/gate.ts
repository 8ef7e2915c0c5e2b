/**
 * First check of every request and upgrade, before routing and before the body is read (SE2).
 * Refuses foreign Hosts and Origins and malformed HTTP, and sets security headers and the request
 * id on every answer.
 */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import { notice } from '../../domain/notices.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Logger } from '../../platform/log/logger.ts'
import { SampledLog } from '../../platform/log/sampled-log.ts'
import { systemClock } from '../../platform/time/clock.ts'
import type { Figures } from '../system/figures.ts'
import { letGuestRead } from './guest-pages.ts'
import type { HttpConnections } from './http-listener.ts'
import { answerProblem, answerProblemOn, refusalOf, setSecurityHeaders } from './problem-answer.ts'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
const defaultPort = { 'http:': 80, 'https:': 443 } as const

/**
 * Exact lists of accepted Host and Origin headers (SE2), checked on every request and upgrade
 * before anything else. Stops DNS rebinding and cross-site forms. Health and readiness are also
 * answered under a node's own address, metrics under the hosts the operator lists.
 */
export interface HostAndOrigin {
  /** Throws a Refusal for a foreign Host or Origin. */
  check(request: IncomingMessage): void
  /** Whether a page of another address sends it, which the operator lets in (SE26). */
  isGuest(request: IncomingMessage): boolean
}

interface Allowed {
  /** In lower case with their port. */
  readonly metricsHosts?: readonly string[] | undefined
  /** Origins of other addresses (SE26). */
  readonly origins?: readonly string[] | undefined
}

const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Needs the actual port. */
export function hostAndOrigin(
  port: number,
  publicUrl: string | null,
  allowed: Allowed = {},
): HostAndOrigin {
  const forMetrics = new Set(allowed.metricsHosts)
  const guests = new Set(allowed.origins)
  const hosts = new Set<string>()
  const origins = new Set<string>()
  const allow = (scheme: keyof typeof defaultPort, name: string, at: number): void => {
    hosts.add(`${name}:${at}`)
    origins.add(new URL(`${scheme}//${name}:${at}`).origin)
    if (at === defaultPort[scheme]) hosts.add(name)
  }
  for (const name of loopbackNames) allow('http:', name, port)
  if (publicUrl) {
    const url = new URL(publicUrl)
    const scheme = url.protocol === 'https:' ? 'https:' : 'http:'
    allow(scheme, url.hostname, Number(url.port) || defaultPort[scheme])
  }
  for (const origin of origins) guests.delete(origin)
  return {
    isGuest: ({ headers }) => headers.origin !== undefined && guests.has(headers.origin),
    check(request) {
      const host = onlyHost(request)?.toLowerCase()
      const path = request.method === 'GET' ? request.url?.split('?', 1)[0] : undefined
      const isOurs =
        host !== undefined && (hosts.has(host) || (path === '/metrics' && forMetrics.has(host)))
      if (!isOurs && !probes.has(path ?? '')) throw new Refusal('forbidden_host')
      // A target in absolute form names its own host, which would override the header (RFC 9112,
      // 3.2.2).
      if (!request.url?.startsWith('/'))
        throw new Refusal('forbidden_host', refusalText('targetNoPath'))
      const { origin } = request.headers
      if (origin !== undefined && !origins.has(origin) && !guests.has(origin))
        throw new Refusal('forbidden_origin')
    },
  }
}

/** Returns the only Host header. Node shows the first of several; several are refused. */
function onlyHost({ rawHeaders }: IncomingMessage): string | undefined {
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'host') continue
    if (found !== undefined) return undefined
    found = rawHeaders[index + 1]
  }
  return found
}

/** Limit for URL and headers together; a cursor over a hundred streams fits. */
export const maxHeaderBytes = 64 * 1024

/** Limit for refusals before a credential was checked; metrics count all of them. */
const refusalsLoggedAMinute = 60

/** Node's error code for a request that did not arrive in time. */
const tookTooLong = 'ERR_HTTP_REQUEST_TIMEOUT'

export interface GateOptions {
  readonly logger: Logger
  readonly figures: Figures
  readonly connections: HttpConnections
  readonly https: boolean
}

export class Gate {
  readonly #options: GateOptions
  readonly #refused: SampledLog
  readonly #ids = new WeakMap<IncomingMessage, string>()
  #hostAndOrigin: HostAndOrigin | undefined

  constructor(options: GateOptions) {
    this.#options = options
    this.#refused = new SampledLog(options.logger, systemClock, refusalsLoggedAMinute)
  }

  /** Accepts requests from now on; before, all are refused. */
  open(hostAndOrigin: HostAndOrigin): void {
    this.#hostAndOrigin = hostAndOrigin
  }

  idOf(request: IncomingMessage): string {
    const idBefore = this.#ids.get(request)
    if (idBefore) return idBefore
    const id = randomUUID()
    this.#ids.set(request, id)
    return id
  }

  isGuest(request: IncomingMessage): boolean {
    return this.#hostAndOrigin?.isGuest(request) ?? false
  }

  check(request: IncomingMessage): void {
    if (!this.#hostAndOrigin) throw new Refusal('busy')
    this.#hostAndOrigin.check(request)
  }

  /** Returns true when the request may continue; otherwise it has been answered. */
  pass(request: IncomingMessage, response: ServerResponse): boolean {
    const id = this.idOf(request)
    this.#options.connections.track(request.socket, response)
    setSecurityHeaders(response, this.#options.https)
    response.setHeader('x-request-id', id)
    try {
      this.check(request)
      if (this.#hostAndOrigin?.isGuest(request)) letGuestRead(request, response)
      return true
    } catch (error) {
      const refusal = this.refuse(error, request)
      answerProblem(response, refusal)
      return false
    }
  }

  /** Converts an error to the Refusal to answer with; counts and logs it. */
  refuse(error: unknown, request: IncomingMessage): Refusal {
    const { logger, figures } = this.#options
    const requestId = this.idOf(request)
    const refusal = refusalOf(error, requestId, logger)
    figures.refusedWith(refusal.code)
    const { host, origin } = request.headers
    this.#refused.info(
      { requestId, code: refusal.code, method: request.method, host, origin },
      'Refused',
    )
    return refusal
  }

  /** SE8: closes the connection when the rest of a request does not arrive in time. */
  requireArrival(request: IncomingMessage, withinMs: number): void {
    if (request.complete) return
    const late = setTimeout(
      () => this.brokenHttp({ code: tookTooLong }, request.socket),
      withinMs,
    ).unref()
    request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
  }

  /** Like `requireArrival`, but measures the time without progress. */
  requireProgress(request: IncomingMessage, withinMs: number): void {
    request.setTimeout(withinMs, () => {
      if (!request.complete) this.brokenHttp({ code: tookTooLong }, request.socket)
    })
  }

  /** Answers input that is not an HTTP request. */
  brokenHttp(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
    const answer = this.#options.connections.responseOn(socket)
    const inTheMiddle = answer?.headersSent && !answer.writableFinished
    // Browsers open connections ahead of need; bytes sent on one would be taken for the answer to
    // its next request.
    const openedAhead = error.code === tookTooLong && socket.bytesRead === 0
    if (error.code === 'ECONNRESET' || inTheMiddle || openedAhead || socket.destroyed)
      return void socket.destroy()
    const refusal = brokenHttpRefusal(error.code)
    const { figures, https } = this.#options
    const requestId = randomUUID()
    figures.refusedWith(refusal.code)
    this.#refused.info({ requestId, code: refusal.code, cause: error.code }, 'Refused')
    answerProblemOn(socket, refusal, requestId, https)
  }
}

function brokenHttpRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Refusal('too_large', refusalText('headersTooLarge'), { limit: maxHeaderBytes })
  if (code === tookTooLong)
    return new Refusal(
      'invalid_request',
      notice('tooLateToRead', {}, 'The request took too long to arrive'),
    )
  return new Refusal('invalid_request', refusalText('notHttp'))
}
