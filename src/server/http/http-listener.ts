/**
 * HTTP listener with its gate. Listens before the endpoints are loaded, so that a start is answered
 * at once (SP1): answers `/healthz` and the web page itself and queues other requests until the
 * endpoints are ready. Knows no store and loads nothing heavy.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, BlockList, isIP, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../domain/errors.ts'
import { notice } from '../../domain/notices.ts'
import type { Logger } from '../../platform/log/logger.ts'
import { StartFailure } from '../../platform/processes/start-failure.ts'
import { Figures } from '../system/figures.ts'
import { Gate, hostAndOrigin, maxHeaderBytes } from './gate.ts'
import { health } from './health.ts'
import { isReserved, Page } from './page.ts'
import { answerProblem } from './problem-answer.ts'

const healthText = (version: string): string => JSON.stringify(health(version))

/**
 * Open HTTP connections, tracked for draining (SC3, OP2): no connection is cut between its accept
 * and the last byte of a response. Node's own way to close idle connections cannot be used, because
 * it also closes connections that have not sent a request yet.
 */
export class HttpConnections {
  /** Latest response of each connection; undefined before its first request. */
  readonly #responses = new Map<Socket, ServerResponse | undefined>()
  #draining = false

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#responses.set(socket, undefined)
      socket.on('close', () => this.#responses.delete(socket))
    })
  }

  /** Stops tracking a socket that became a WebSocket. */
  forget(socket: Duplex): void {
    this.#responses.delete(socket as Socket)
  }

  track(socket: Socket, response: ServerResponse): void {
    this.#responses.set(socket, response)
    if (this.#draining) response.shouldKeepAlive = false
  }

  responseOn(socket: Socket): ServerResponse | undefined {
    return this.#responses.get(socket)
  }

  /** Makes every response from now on the last one of its connection. */
  beginDrain(): void {
    if (this.#draining) return
    this.#draining = true
    for (const [socket, response] of this.#responses) {
      if (!response || response.writableFinished) continue
      if (response.headersSent) response.once('close', () => socket.destroySoon())
      else response.shouldKeepAlive = false
    }
  }

  /** Closes connections whose last response is finished. */
  closeIdle(): void {
    for (const [socket, response] of this.#responses)
      if (response?.writableFinished) socket.destroySoon()
  }

  /** Closes connections that have sent nothing. */
  closeSilent(): void {
    for (const [socket, response] of this.#responses)
      if (!response && socket.bytesRead === 0) socket.destroy()
  }
}

export interface HttpListenerOptions {
  readonly logger: Logger
  readonly listen: { readonly host: string; readonly port: number }
  readonly publicUrl: string | null
  /** Additional hosts under which `/metrics` answers, in lower case with their port. */
  readonly metricsHosts?: readonly string[]
  readonly behindProxy: boolean
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies?: readonly string[]
  /** Origins of other addresses whose pages may ask (SE26). */
  readonly allowedOrigins?: readonly string[]
  readonly version: string
  /** Folder of the built web page; null serves none. */
  readonly pageFolder: string | null
  /**
   * Time a request may take to arrive, 30 s by default. An upload may take longer while it makes
   * progress.
   */
  readonly arrivalMs?: number | undefined
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** Limit for the largest artifact over a slow line (CK5); other requests have `arrivalMs`. */
const maxUploadMs = 60 * 60_000
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: maxUploadMs,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5000,
}
const usualArrivalMs = 30_000
const maxOpenSockets = 20_000
/** Upper bound of requests queued until the endpoints are ready, a fraction of a second. */
const maxQueuedRequests = 1000

export class HttpListener {
  readonly server: Server
  readonly gate: Gate
  readonly connections: HttpConnections
  readonly figures = new Figures()
  readonly page: Page
  readonly options: HttpListenerOptions
  /** Whether clients connect over TLS, through the proxy of `public_url`. */
  readonly https: boolean
  readonly arrivalMs: number
  #queued: [IncomingMessage, ServerResponse][] = []
  #handle: Handle | undefined

  constructor(options: HttpListenerOptions) {
    refuseOpenListening(options.listen.host, options.behindProxy)
    this.options = options
    this.https = options.publicUrl?.startsWith('https:') ?? false
    this.arrivalMs = options.arrivalMs ?? usualArrivalMs
    this.page = new Page(options.pageFolder)
    this.server = createServer({
      ...timeouts,
      maxHeaderSize: maxHeaderBytes,
      // A missing Host gets our own answer, like a foreign one.
      requireHostHeader: false,
      noDelay: true,
      // Upgrades to other protocols are handled as ordinary requests.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    })
    this.server.maxConnections = maxOpenSockets
    this.connections = new HttpConnections(this.server)
    this.gate = new Gate({
      logger: options.logger,
      figures: this.figures,
      connections: this.connections,
      https: this.https,
    })
    const receive = (request: IncomingMessage, response: ServerResponse): void =>
      this.#receive(request, response)
    this.server.on('request', receive)
    this.server.on('checkExpectation', receive)
  }

  /** URL of the listener, once it listens. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo
    return `http://${urlHost(this.options.listen.host)}:${port}`
  }

  async listen(): Promise<void> {
    const { host, port } = this.options.listen
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      // `localhost` would be resolved and could be another machine.
      this.server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port }, () => {
        this.server.off('error', reject)
        resolve()
      })
    })
    const { publicUrl, metricsHosts, allowedOrigins: origins } = this.options
    this.gate.open(
      hostAndOrigin((this.server.address() as AddressInfo).port, publicUrl, {
        metricsHosts,
        origins,
      }),
    )
  }

  /** Passes queued and later requests to the endpoints. */
  handOver(handle: Handle): void {
    this.#handle = handle
    // Registered only now: without a handler Node closes an upgrade, and the client retries; with
    // one it would hang.
    this.server.on('upgrade', (_, socket) => this.connections.forget(socket))
    for (const [request, response] of this.#queued.splice(0)) handle(request, response)
  }

  /**
   * Stops accepting. Resolves when the last connection has closed. Connections without a request
   * are kept until `heard`.
   */
  async close(heard: Promise<void> = Promise.resolve()): Promise<void> {
    // Lets pending connections be accepted; closing the port would cut them.
    await new Promise((resolve) => setImmediate(resolve))
    // Not http's own close, which also cuts connections that are not idle.
    const closed = new Promise<void>(
      (resolve) => void NetServer.prototype.close.call(this.server, () => resolve()),
    )
    this.connections.beginDrain()
    for (const [, response] of this.#queued.splice(0))
      answerProblem(response, new Refusal('shutting_down'))
    this.connections.closeIdle()
    void heard.then(() => this.connections.closeSilent())
    await closed
    // No connection is left; this only ends http's own timer.
    this.server.close(() => {})
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (!this.gate.pass(request, response)) return
    if (this.#handle) return this.#handle(request, response)
    if (request.method === 'GET' && request.url === '/healthz') {
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
      })
      return void response.end(healthText(this.options.version))
    }
    const path = request.url?.split('?', 1)[0] ?? ''
    const file =
      request.method === 'GET' && !isReserved(path)
        ? this.page.answer(path, request.headers)
        : undefined
    if (file) {
      response.writeHead(file.status, { ...file.headers, 'content-length': file.body.length })
      return void response.end(file.body)
    }
    if (this.#queued.length >= maxQueuedRequests)
      return answerProblem(
        response,
        new Refusal('busy', notice('stillStarting', {}, 'The server is still starting')),
      )
    this.#queued.push([request, response])
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** SE2: an address reachable from other machines needs TLS in front of it. */
function refuseOpenListening(host: string, behindProxy: boolean): void {
  const family = isIP(host)
  const local =
    host === 'localhost' || (family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4'))
  if (local || behindProxy) return
  throw new StartFailure(
    `Listening on ${host} would let other machines in without encryption.`,
    'Listen on 127.0.0.1, or put a TLS proxy in front and say so with --behind-proxy.',
  )
}

function urlHost(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIP(host) === 6 ? `[${host}]` : host
}
