/**
 * What stands before everything (SE2): every request and every upgrade passes here first, before routing and before its body
 * is read. Foreign Hosts and Origins end here, and every answer gets its headers and its request id. Bad HTTP ends here too.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { SampledLog } from '../../platform/sampled-log.ts'
import type { HostAndOrigin } from '../security/host-and-origin.ts'
import type { Figures } from '../system/figures.ts'
import type { HttpConnections } from './http-connections.ts'
import { answerProblem, answerProblemOn, refusalOf } from './problem-answer.ts'
import { setSecurityHeaders } from './security-headers.ts'

/** URL and headers together: a cursor over a hundred streams fits. */
export const maxHeaderBytes = 64 * 1024

/** Of what is refused before anybody has shown a credential; the figures count all. */
const refusalsLoggedAMinute = 60

/** Node's word for it. */
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

  /** Until then nobody gets in. */
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

  /** Throws what is to be answered when the request did not mean us. */
  check(request: IncomingMessage): void {
    if (!this.#hostAndOrigin) throw new Refusal('busy')
    this.#hostAndOrigin.check(request)
  }

  /** True when the request may go on; otherwise it has been answered. */
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

  /** What the answer says about an error; counted and logged. */
  refuse(error: unknown, request: IncomingMessage): Refusal {
    const { logger, figures } = this.#options
    const requestId = this.idOf(request)
    const refusal = refusalOf(error, requestId, logger)
    figures.refusedWith(refusal.code)
    const { host, origin } = request.headers
    this.#refused.info({ requestId, code: refusal.code, method: request.method, host, origin }, 'Refused')
    return refusal
  }

  /** SE8: who sends the rest of a request too slowly, or not at all, does not keep the connection. */
  mustArrive(request: IncomingMessage, withinMs: number): void {
    if (request.complete) return
    const late = setTimeout(() => this.brokenHttp({ code: tookTooLong }, request.socket), withinMs).unref()
    request.once('end', () => clearTimeout(late)).once('close', () => clearTimeout(late))
  }

  /** The same where it may take its time: only while nothing comes. */
  mustKeepComing(request: IncomingMessage, withinMs: number): void {
    request.setTimeout(withinMs, () => {
      if (!request.complete) this.brokenHttp({ code: tookTooLong }, request.socket)
    })
  }

  /** What could not even be read as a request. */
  brokenHttp(error: Pick<NodeJS.ErrnoException, 'code'>, socket: Socket): void {
    const answer = this.#options.connections.responseOn(socket)
    const inTheMiddle = answer?.headersSent && !answer.writableFinished
    // A browser opens connections ahead of need: words into one would be taken for the answer to what it asks there just then.
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
  if (code === tookTooLong) return new Refusal('invalid_request', 'The request took too long to arrive')
  return new Refusal('invalid_request', 'This is not HTTP that can be read')
}
