/**
 * The way from a sandbox to the network (SB5). A sandbox has a network of its own with nothing in
 * it but a forwarder, which passes each connection through one unix socket to this bridge, with the
 * inside port on a first line. The bridge speaks HTTP (CONNECT and plain) and SOCKS5, decides by
 * the rules, and looks up names itself. The server's address leads to the endpoints of a launch
 * alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { request as requestTls } from 'node:https'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { OpenGateway } from '../gateway/gateway.ts'
import {
  allowedAddress,
  type HostPort,
  hostPortOf,
  isThisMachine,
  type NetworkRules,
  namedAs,
  type Unreached,
} from './network-rules.ts'

/** Inside, on the sandbox's own loopback. */
export const proxyPort = 3128
const maxConnections = 512
const connectMs = 30_000
const maxFirstLine = 16
/** What a launch may ask of the server. */
const launchPaths = /^\/mcp([/?]|$)/

export interface BridgeOptions extends NetworkRules {
  readonly serverUrl: string
  /** GW1: it has the same address inside. */
  readonly gateway?: Pick<OpenGateway, 'port' | 'accept'> | undefined
  /** The coordinator's own, for a proxy that leads to the internet. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ask: (target: HostPort) => Promise<boolean>
  readonly onRefused: (target: HostPort, why: Unreached) => void
}

export class Bridge {
  readonly socket: string
  /** The ports that the forwarder inside listens on. */
  readonly ports: readonly number[]
  readonly #options: BridgeOptions
  readonly #folder: string
  readonly #listener: Server
  readonly #proxy = createHttpServer()
  readonly #launch = createHttpServer()
  readonly #server: URL
  readonly #sockets = new Set<Socket>()

  constructor(options: BridgeOptions) {
    this.#options = options
    this.#server = new URL(options.serverUrl)
    // A short path: those of sockets are limited.
    this.#folder = mkdtempSync(join(tmpdir(), 'hf-bridge-'))
    this.socket = join(this.#folder, 's')
    const loopback = options.hosts
      .map((rule) => hostPortOf(rule))
      .filter((each) => each && isLoopback(each.host))
    const own = isLoopback(this.#serverTarget.host) ? [this.#serverTarget.port] : []
    const gateway = options.gateway ? [options.gateway.port] : []
    this.ports = [
      ...new Set([proxyPort, ...own, ...gateway, ...loopback.flatMap((each) => each?.port ?? [])]),
    ]
    this.#proxy.on('connect', (request, socket, head) => void this.#connect(request, socket, head))
    this.#proxy.on('request', (request, answer) => void this.#pass(request, answer))
    this.#launch.on('request', (request, answer) => this.#toServer(request, answer))
    for (const each of [this.#proxy, this.#launch]) {
      each.requestTimeout = 0
      each.on('clientError', (_, socket) => socket.destroy())
    }
    this.#listener = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket))
    this.#listener.maxConnections = maxConnections
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve, reject) =>
      this.#listener.once('error', reject).listen(this.socket, resolve),
    )
    return this
  }

  close(): void {
    this.#listener.close()
    for (const socket of this.#sockets) socket.destroy()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  get #serverTarget(): HostPort {
    const { hostname, port, protocol } = this.#server
    return (
      hostPortOf(hostname, Number(port || (protocol === 'https:' ? 443 : 80))) ?? {
        host: hostname,
        port: 0,
      }
    )
  }

  #isServer({ host, port }: HostPort): boolean {
    const own = this.#serverTarget
    return port === own.port && (host === own.host || (isLoopback(host) && isLoopback(own.host)))
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
    let read = Buffer.of()
    const onData = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf(10)
      if (end < 0) return read.length > maxFirstLine ? void socket.destroy() : undefined
      const isProxy = Number(read.subarray(0, end)) === proxyPort
      if (isProxy && read.length === end + 1) return
      socket.off('data', onData)
      socket.pause()
      const port = Number(read.subarray(0, end))
      if (read.length > end + 1) socket.unshift(read.subarray(end + 1))
      if (isProxy) this.#serveProxy(socket, read[end + 1] === 5)
      else if (this.ports.includes(port)) void this.#reach(socket, { host: '127.0.0.1', port })
      else socket.destroy()
    }
    socket.on('data', onData)
  }

  #serveProxy(socket: Socket, isSocks: boolean): void {
    if (isSocks) void this.#socks(socket).catch(() => socket.destroy())
    else serve(this.#proxy, socket)
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const target = hostPortOf(request.url ?? '')
    if (head.length > 0) socket.unshift(head)
    const answered = await this.#reach(socket as Socket, target, () =>
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n'),
    )
    if (!answered)
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusal(target)}`)
  }

  /** Connects a stream with its target. Returns false when that is refused. */
  async #reach(
    socket: Socket,
    target: HostPort | undefined,
    onOpen = (): void => {},
  ): Promise<boolean> {
    if (target && this.#isServer(target) && this.#server.protocol === 'http:') {
      onOpen()
      serve(this.#launch, socket)
      return true
    }
    const { gateway } = this.#options
    if (gateway && target?.port === gateway.port && isLoopback(target.host)) {
      onOpen()
      gateway.accept(socket)
      return true
    }
    const upstream = target && (await this.#open(target))
    if (!upstream) return false
    onOpen()
    connectBoth(socket, upstream)
    return true
  }

  async #open(target: HostPort): Promise<Socket | undefined> {
    const named = namedAs(this.#options, target)
    const isOwn = this.#isServer(target)
    // Behind a proxy names are looked up there, so only what names this machine by itself is known.
    if (!isOwn && named !== 'port' && isThisMachine(target.host))
      return this.#refuse(target, 'this-machine')
    if (this.#options.strict && !named && !isOwn && !(await this.#options.ask(target)))
      return this.#refuse(target, 'not-allowed')
    const proxy = isOwn || named === 'port' ? undefined : this.#proxyFor(target)
    if (proxy) return throughProxy(proxy, target)
    const found = await allowedAddress(target, isOwn ? 'port' : named)
    return 'why' in found
      ? this.#refuse(target, found.why)
      : opened(connect({ host: found.address, port: target.port }))
  }

  #refuse(target: HostPort, why: Unreached): undefined {
    this.#options.onRefused(target, why)
  }

  #proxyFor({ host, port }: HostPort): URL | undefined {
    const { env } = this.#options
    const of = (name: string): string | undefined => env[name.toLowerCase()] || env[name]
    const except = (of('NO_PROXY') ?? '')
      .split(',')
      .map((each) => each.trim().replace(/^\*?\./, ''))
    if (
      except.some(
        (each) => each === '*' || (each !== '' && (host === each || host.endsWith(`.${each}`))),
      )
    )
      return undefined
    const found =
      (port === 443 ? of('HTTPS_PROXY') : of('HTTP_PROXY')) ?? of('HTTPS_PROXY') ?? of('ALL_PROXY')
    return found?.startsWith('http') ? new URL(found) : undefined
  }

  /** A plain request to a proxy: `GET http://host/path`. */
  async #pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const url = URL.parse(incoming.url ?? '')
    const target = url?.protocol === 'http:' ? hostPortOf(url.host, 80) : undefined
    if (target && this.#isServer(target)) return this.#toServer(incoming, answer)
    const upstream = target && (await this.#open(target))
    if (!url || !upstream)
      return void answer.writeHead(403, { 'content-type': 'text/plain' }).end(refusal(target))
    const { method, headers } = incoming
    const { 'proxy-connection': _, ...kept } = headers
    relay(
      incoming,
      answer,
      request({
        method,
        path: url.pathname + url.search,
        headers: kept,
        createConnection: () => upstream,
      }),
    )
  }

  /** SB5: of the server, a launch has its own endpoints. */
  #toServer(incoming: IncomingMessage, answer: ServerResponse): void {
    const url = URL.parse(incoming.url ?? '', this.#server.href)
    const path = url && url.pathname + url.search
    if (!path || !launchPaths.test(path))
      return void answer
        .writeHead(403, { 'content-type': 'text/plain' })
        .end('Holdfast: a sandbox reaches the endpoints of its launch alone.\n')
    const { method, headers } = incoming
    const ask = this.#server.protocol === 'https:' ? requestTls : request
    const { host, port } = this.#serverTarget
    relay(incoming, answer, ask({ host, port, method, path, headers }))
  }

  /** SOCKS5 without sign-in: greeting, one CONNECT by name or address. */
  async #socks(socket: Socket): Promise<void> {
    const [, methods = 0] = await take(socket, 2)
    await take(socket, methods)
    socket.write(Buffer.of(5, 0))
    const [, command, , kind] = await take(socket, 4)
    const bytesOf: Readonly<Record<number, number>> = { 1: 4, 4: 16 }
    const length = bytesOf[kind ?? 0] ?? (await take(socket, 1))[0] ?? 0
    const name = await take(socket, length)
    const port = (await take(socket, 2)).readUInt16BE()
    const target =
      command === 1 && port > 0 ? hostPortOf(`${hostIn(name, kind)}:${port}`) : undefined
    const reply = (code: number) => socket.write(Buffer.of(5, code, 0, 1, 0, 0, 0, 0, 0, 0))
    if (!(await this.#reach(socket, target, () => reply(0)))) {
      reply(2)
      socket.end()
    }
  }
}

const isLoopback = (host: string): boolean => /^(.+\.)?localhost$|^::1$|^127\./.test(host)

const refusal = (target: HostPort | undefined): string =>
  `Holdfast: this sandbox does not allow ${target ? `${target.host}:${target.port}` : 'this address'}. Ask a person to allow the host.\n`

/** The host of a SOCKS5 request, as it is written before a port. */
function hostIn(bytes: Buffer, kind: number | undefined): string {
  if (kind === 1) return [...bytes].join('.')
  if (kind === 3) return bytes.toString()
  return kind === 4 ? `[${ipv6Of(bytes)}]` : ''
}

const ipv6Of = (bytes: Buffer): string =>
  Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16)).join(':')

function serve(server: ReturnType<typeof createHttpServer>, socket: Socket): void {
  server.emit('connection', socket)
  socket.resume()
}

async function take(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const found = length === 0 ? Buffer.of() : (socket.read(length) as Buffer | null)
    if (found) return found
    if (socket.destroyed || socket.readableEnded) throw new Error('ended')
    await new Promise<void>((resolve) => {
      socket.once('readable', resolve)
      socket.once('close', resolve)
    })
  }
}

/** Resolves with undefined when it cannot be reached. */
function opened(socket: Socket): Promise<Socket | undefined> {
  socket.setTimeout(connectMs, () => socket.destroy())
  return new Promise((resolve) => {
    socket.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
    socket.once('connect', () => {
      socket.setTimeout(0)
      resolve(socket)
    })
  })
}

function throughProxy(proxy: URL, { host, port }: HostPort): Promise<Socket | undefined> {
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const { username, password } = proxy
  const sign = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`
  const headers = { host: path, ...(username && { 'proxy-authorization': sign }) }
  const tunnel = request({
    host: proxy.hostname,
    port: proxy.port || 80,
    method: 'CONNECT',
    path,
    headers,
    timeout: connectMs,
  })
  return new Promise((resolve) => {
    tunnel.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket as Socket)
      socket.destroy()
      resolve(undefined)
    })
    tunnel.once('response', () => tunnel.destroy()).once('timeout', () => tunnel.destroy())
    tunnel.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
    tunnel.end()
  })
}

function connectBoth(one: Socket, other: Socket): void {
  for (const each of [one, other]) each.on('error', () => each.destroy())
  one.pipe(other)
  other.pipe(one)
  other.once('close', () => one.destroySoon?.())
  one.once('close', () => other.destroy())
}

/** Unbuffered in both directions. */
function relay(
  incoming: IncomingMessage,
  answer: ServerResponse,
  upstream: ReturnType<typeof request>,
): void {
  upstream.once('response', (came) => {
    answer.writeHead(came.statusCode ?? 502, came.statusMessage, came.headers)
    answer.flushHeaders()
    came.pipe(answer)
    came.once('error', () => answer.destroy())
  })
  upstream.once('error', () =>
    answer.headersSent ? answer.destroy() : answer.writeHead(502).end(),
  )
  answer.once('close', () => upstream.destroy())
  incoming.pipe(upstream)
}

/**
 * The program inside, which listens and forwards. `argv`: the socket, a file to make when it
 * listens, and the ports.
 */
export const forwarder = `
const net = require('node:net'), [socket, ready, ...ports] = process.argv.slice(1)
let left = ports.length
const listens = () => { if (--left === 0) require('node:fs').writeFileSync(ready, '') }
for (const port of ports)
  net.createServer({ allowHalfOpen: true }, (one) => {
    const other = net.connect({ path: socket, allowHalfOpen: true })
    const end = () => { one.destroy(); other.destroy() }
    one.on('error', end); other.on('error', end)
    other.write(port + '\\n'); one.pipe(other); other.pipe(one)
  }).on('error', listens).listen(Number(port), '127.0.0.1', listens)
`
