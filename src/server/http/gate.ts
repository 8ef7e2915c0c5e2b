/**
 * First check of every request and upgrade, before routing and before the body is read (SE2). Refuses foreign Hosts and Origins
 * and malformed HTTP, and sets security headers and the request id on every answer.
 */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import { notice } from '../../domain/notices.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { SampledLog } from '../../platform/sampled-log.ts'
import type { HostAndOrigin } from '../security/host-and-origin.ts'
import type { Figures } from '../system/figures.ts'
import type { HttpConnections } from './http-connections.ts'
import { answerProblem, answerProblemOn, refusalOf } from './problem-answer.ts'
import { setSecurityHeaders } from './security-headers.ts'

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
    const known = this.#ids.get(request)
    if (known) return known
    const id = randomUUID()
    this.#ids.set(request, id)
    return id
  }

  /** Throws a Refusal when Host or Origin is foreign. */
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
    this.#refused.info({ requestId, code: refusal.code, method: request.method, host, origin }, 'Refused')
    return refusal
  }

  /** SE8: closes the connection when the rest of a request does not arrive in time. */
  requireArrival(request: IncomingMessage, withinMs: number): void {
    if (request.complete) return
    const late = setTimeout(() => this.brokenHttp({ code: tookTooLong }, request.socket), withinMs).unref()
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
    // Browsers open connections ahead of need; bytes sent on one would be taken for the answer to its next request.
    const openedAhead = error.code === tookTooLong && socket.bytesRead === 0
    if (error.code === 'ECONNRESET' || inTheMiddle || openedAhead || socket.destroyed) return void socket.destroy()
    const refusal = brokenHttpRefusal(error.code)
    const { figures, https } = this.#options
    const requestId = randomUUID()
    figures.refusedWith(refusal.code)
    this.#refused.info({ requestId, code: refusal.code, cause: error.code }, 'Refused')
    answerProblemOn(socket, refusal, requestId, https)
  }
}

function brokenHttpRefusal(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('too_large', 'The headers are too large', { limit: maxHeaderBytes })
  if (code === tookTooLong)
    return new Refusal('invalid_request', notice('tooLateToRead', {}, 'The request took too long to arrive'))
  return new Refusal('invalid_request', 'This is not HTTP that can be read')
}
