/**
 * Followers of the log for tests: server-sent events and WebSockets as they come off the wire, to
 * be waited for in order.
 */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it expects, and fails when it is not there
type Anything = any

/** Events that came and were not asked for yet; a waiting call gets the next. */
class Inbox<Item> {
  readonly all: Item[] = []
  #taken = 0
  #waiting: (() => void)[] = []

  put(item: Item): void {
    this.all.push(item)
    this.wake()
  }

  wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /**
   * The next one that fits; those before it are passed over. Hangs into the test's timeout when it
   * never comes.
   */
  async next(fits: (item: Item) => boolean = () => true): Promise<Item> {
    for (;;) {
      while (this.#taken < this.all.length) {
        const item = this.all[this.#taken++] as Item
        if (fits(item)) return item
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async until(enough: () => boolean): Promise<void> {
    while (!enough()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

interface ServerSentEvent {
  readonly id: string
  readonly event: string
  readonly data: Anything
}

export interface EventClient {
  readonly inbox: Inbox<ServerSentEvent>
  readonly status: number
  readonly response: IncomingMessage
  /** Every byte that came. */
  readonly text: () => string
  readonly ended: Promise<void>
  next(event?: string): Promise<ServerSentEvent>
  close(): void
}

export interface EventClientOptions {
  readonly port: number
  /** null where the headers have another credential. */
  readonly token: string | null
  readonly streams: string
  readonly after?: string | undefined
  readonly panels?: string
  readonly lastEventId?: string | undefined
  readonly headers?: Record<string, string>
}

export async function followEvents(options: EventClientOptions): Promise<EventClient> {
  const query = new URLSearchParams({
    streams: options.streams,
    ...(options.after === undefined ? {} : { after: options.after }),
    ...(options.panels === undefined ? {} : { panels: options.panels }),
  })
  const headers = {
    host: `127.0.0.1:${options.port}`,
    ...(options.token === null ? {} : { authorization: `Bearer ${options.token}` }),
    accept: 'text/event-stream',
    ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    ...options.headers,
  }
  const request: ClientRequest = httpRequest({
    host: '127.0.0.1',
    port: options.port,
    path: `/api/events?${query}`,
    headers,
    agent: false,
  })
  onTestFinished(() => void request.destroy())
  request.on('error', () => {})
  request.end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
  })
  const inbox = new Inbox<ServerSentEvent>()
  let text = ''
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const message = parseBlock(block)
      if (message) inbox.put(message)
    }
    inbox.wake()
  })
  response.on('error', () => {})
  const ended = new Promise<void>((resolve) => response.on('close', resolve))
  return {
    inbox,
    status: response.statusCode ?? 0,
    response,
    text: () => text,
    ended,
    next: (event) => inbox.next((message) => event === undefined || message.event === event),
    close: () => void request.destroy(),
  }
}

function parseBlock(block: string): ServerSentEvent | undefined {
  const fields: Record<string, string> = {}
  for (const line of block.split('\n')) {
    const at = line.indexOf(': ')
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2)
  }
  if (fields['data'] === undefined) return undefined
  return { id: fields['id'] ?? '', event: fields['event'] ?? '', data: JSON.parse(fields['data']) }
}

export interface SocketClient {
  readonly inbox: Inbox<Anything>
  readonly webSocket: WebSocket
  readonly closed: Promise<{ code: number; reason: string }>
  send(message: unknown): void
  /** The next message of this type. */
  next(type?: string): Promise<Anything>
  subscribe(streams: readonly string[], after?: string): Promise<Anything>
}

export interface SocketClientOptions {
  readonly port: number
  readonly token?: string | undefined
  readonly headers?: Record<string, string>
  readonly path?: string
}

/** Rejects with the HTTP status and body when the upgrade is refused. */
export async function openSocket({
  port,
  token,
  headers = {},
  path = '/ws',
}: SocketClientOptions): Promise<SocketClient> {
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    maxPayload: 0,
  })
  onTestFinished(() => webSocket.terminate())
  const inbox = new Inbox<Anything>()
  webSocket.on('message', (data) => inbox.put(JSON.parse(String(data))))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    webSocket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })
  await new Promise<void>((resolve, reject) => {
    webSocket.on('open', resolve)
    webSocket.on('error', reject)
    webSocket.on('unexpected-response', (_, response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => reject(new Error(`${response.statusCode} ${body}`)))
    })
  })
  const send = (message: unknown): void =>
    webSocket.send(typeof message === 'string' ? message : JSON.stringify(message))
  const next = (type?: string): Promise<Anything> =>
    inbox.next((message) => type === undefined || message.type === type)
  return {
    inbox,
    webSocket,
    closed,
    send,
    next,
    subscribe: (streams, after) => {
      send({
        type: 'subscribe',
        streams,
        ...(after === undefined ? {} : { after }),
        requestId: 'subscribe',
      })
      return next('subscribed')
    },
  }
}
