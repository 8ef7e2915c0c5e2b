/**
 * The front: the port, and the gate before it. It listens before the doors behind it are loaded, so that a start is answered
 * at once (SP1): that the server is alive is said here, and its page is given; whoever comes for more is let in, in order, when the
 * doors are there. It knows no store and loads nothing heavy.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, BlockList, isIP, Server as NetServer } from 'node:net'
import { Refusal } from '../../domain/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import { StartFailure } from '../../platform/start-failure.ts'
import { hostAndOrigin } from '../security/host-and-origin.ts'
import { Figures } from '../system/figures.ts'
import { Gate, maxHeaderBytes } from './gate.ts'
import { healthText } from './health.ts'
import { HttpConnections } from './http-connections.ts'
import { isReserved, Page } from './page.ts'
import { answerProblem } from './problem-answer.ts'

export interface HttpListenerOptions {
  readonly logger: Logger
  readonly listen: { readonly host: string; readonly port: number }
  readonly publicUrl: string | null
  /** Under which `/metrics` answers too, in lower case with their port. */
  readonly metricsHosts?: readonly string[]
  readonly behindProxy: boolean
  readonly version: string
  /** The built page; null serves none. */
  readonly pageFolder: string | null
  /** How long a request may take to arrive; 30 s when left out. One that stores a file has longer, as long as it keeps coming. */
  readonly arrivalMs?: number | undefined
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** For the largest artifact over a slow line (CK5); whatever else is asked has `arrivalMs`. */
const maxUploadMs = 60 * 60_000
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: maxUploadMs,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5000,
}
const usualArrivalMs = 30_000
const maxOpenSockets = 20_000
/** Requests that may wait for the doors; they are there within a fraction of a second. */
const maxQueuedRequests = 1000

export class HttpListener {
  readonly server: Server
  readonly gate: Gate
  readonly connections: HttpConnections
  readonly figures = new Figures()
  readonly page: Page
  readonly options: HttpListenerOptions
  /** Whether readers reach us over TLS, through the proxy of `public_url`. */
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
      // Other upgrades are ordinary requests to us.
      shouldUpgradeCallback: (request) => request.headers.upgrade?.toLowerCase() === 'websocket',
    })
    this.server.maxConnections = maxOpenSockets
    this.connections = new HttpConnections(this.server)
    this.gate = new Gate({ logger: options.logger, figures: this.figures, connections: this.connections, https: this.https })
    const receive = (request: IncomingMessage, response: ServerResponse): void => this.#receive(request, response)
    this.server.on('request', receive)
    this.server.on('checkExpectation', receive)
  }

  /** Where it answers, once it listens. */
  get url(): string {
    const { port } = this.server.address() as AddressInfo
    return `http://${urlHost(this.options.listen.host)}:${port}`
  }

  async listen(): Promise<void> {
    const { host, port } = this.options.listen
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      // The name would be looked up, and could mean another machine.
      this.server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port }, () => {
        this.server.off('error', reject)
        resolve()
      })
    })
    const { publicUrl, metricsHosts } = this.options
    this.gate.open(hostAndOrigin((this.server.address() as AddressInfo).port, publicUrl, metricsHosts))
  }

  /** The doors are there: whoever waits goes through, and everybody after them. */
  handOver(handle: Handle): void {
    this.#handle = handle
    // Not before: Node cuts an upgrade that nobody listens for, and whoever asked for it comes again. It would hang otherwise.
    this.server.on('upgrade', (_, socket) => this.connections.forget(socket))
    for (const [request, response] of this.#queued.splice(0)) handle(request, response)
  }

  /** Stops accepting; resolves when the last connection has ended. Who has connected and not yet spoken is listened to until `heard`. */
  async close(heard: Promise<void> = Promise.resolve()): Promise<void> {
    // Whoever waits to be accepted would be cut off with the port.
    await new Promise((resolve) => setImmediate(resolve))
    // Not http's own, which cuts off more than those who are idle.
    const closed = new Promise<void>((resolve) => void NetServer.prototype.close.call(this.server, () => resolve()))
    this.connections.beginDrain()
    for (const [, response] of this.#queued.splice(0)) answerProblem(response, new Refusal('shutting_down'))
    this.connections.closeIdle()
    void heard.then(() => this.connections.closeSilent())
    await closed
    // Nobody is left whom it could cut off; it ends http's own timer.
    this.server.close(() => {})
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (!this.gate.pass(request, response)) return
    if (this.#handle) return this.#handle(request, response)
    if (request.method === 'GET' && request.url === '/healthz') {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
      return void response.end(healthText(this.options.version))
    }
    const path = request.url?.split('?', 1)[0] ?? ''
    const file = request.method === 'GET' && !isReserved(path) ? this.page.answer(path, request.headers) : undefined
    if (file) {
      response.writeHead(file.status, { ...file.headers, 'content-length': file.body.length })
      return void response.end(file.body)
    }
    if (this.#queued.length >= maxQueuedRequests)
      return answerProblem(response, new Refusal('busy', 'The server is still starting'))
    this.#queued.push([request, response])
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** SE2: what other machines can reach needs TLS in front of it. */
function refuseOpenListening(host: string, behindProxy: boolean): void {
  const family = isIP(host)
  const local = host === 'localhost' || (family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4'))
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
