/**
 * What stand-ins of chat platforms share: a real HTTP and WebSocket server on loopback that keeps
 * what was written, counts calls, and makes whatever trouble a test asks for.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/**
 * What happens to the next call of a method. `cut`: the connection breaks before it is done;
 * `cut-after`: after. `hang`: done, not answered. `fail-after`: done, and answered with 500.
 */
export type Trouble =
  | { readonly status: 429; readonly retryAfter: number }
  | { readonly status: 500 }
  | { readonly refuse: string }
  | 'cut'
  | 'cut-after'
  | 'hang'
  | 'fail-after'

export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
  readonly token: string | undefined
}

export interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

export abstract class PlatformStandIn {
  /** Files by their path, and the credentials that asked for them. */
  readonly files = new Map<string, { type: string; bytes: Buffer }>()
  readonly fileCredentials: (string | undefined)[] = []
  readonly calls: string[] = []
  readonly sockets = new Set<WebSocket>()
  readonly #troubles = new Map<string, Trouble[]>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #links = new WebSocketServer({ server: this.#server })
  #watchers: (() => void)[] = []

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#links.on('connection', (socket, request) => {
      this.sockets.add(socket)
      socket.on('close', () => this.sockets.delete(socket))
      socket.on('error', () => {})
      this.linked(socket, request.url ?? '')
      socket.on('message', (data) => {
        this.received(socket, JSON.parse(String(data)))
        this.tell()
      })
    })
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.terminate()
    this.#links.close()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Breaks every connection, as a network does. */
  cutSockets(): void {
    for (const socket of this.sockets) socket.terminate()
  }

  trouble(method: string, ...troubles: Trouble[]): void {
    this.#troubles.set(method, [...(this.#troubles.get(method) ?? []), ...troubles])
  }

  countOf = (method: string): number => this.calls.filter((each) => each === method).length

  /** Resolves when it is so; looked at after every call and message. */
  async until(isSo: () => boolean, withinMs = 30_000): Promise<void> {
    const gaveUp = AbortSignal.timeout(withinMs)
    while (!isSo()) {
      await new Promise<void>((resolve, reject) => {
        gaveUp.addEventListener('abort', () =>
          reject(new Error(`Not within ${withinMs} ms; calls: ${this.calls.slice(-20).join(' ')}`)),
        )
        this.#watchers.push(resolve)
      })
    }
  }

  protected tell(): void {
    for (const watch of this.#watchers.splice(0)) watch()
  }

  protected abstract linked(socket: WebSocket, url: string): void
  protected abstract received(socket: WebSocket, message: Record<string, unknown>): void
  /** The name of a call, as troubles name it. */
  protected abstract nameOf(call: Call): string
  protected abstract run(name: string, call: Call): Reply
  protected abstract refused(trouble: Exclude<Trouble, string>): Reply

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url ?? '/', this.url)
    const call: Call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      body: bodyOf(request.headers['content-type'] ?? '', Buffer.concat(chunks).toString()),
      token: request.headers.authorization?.replace(/^\w+ /, ''),
    }
    const file = this.files.get(url.pathname)
    if (file) {
      this.fileCredentials.push(call.token)
      response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
      return
    }
    const name = this.nameOf(call)
    this.calls.push(name)
    const trouble = this.#troubles.get(name)?.shift()
    if (trouble === 'cut') response.destroy()
    else if (typeof trouble === 'object') send(response, this.refused(trouble))
    else {
      const reply = this.run(name, call)
      if (trouble === 'cut-after') response.destroy()
      else if (trouble === 'fail-after') send(response, this.refused({ status: 500 }))
      else if (trouble !== 'hang') send(response, reply)
    }
    this.tell()
  }
}

function bodyOf(type: string, text: string): Record<string, unknown> {
  if (text === '') return {}
  if (type.includes('json')) return JSON.parse(text) as Record<string, unknown>
  return Object.fromEntries(new URLSearchParams(text))
}

function send(response: ServerResponse, { status = 200, headers, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
