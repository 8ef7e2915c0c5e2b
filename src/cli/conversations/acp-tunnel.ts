/**
 * Keeps an editor's connection over restarts of the server: it remembers what is not answered, how
 * far the editor was told each session, and what it was asked, and goes on there when the server is
 * back. Reads no prompt, and knows no method but those that open and close sessions.
 */
import { randomUUID } from 'node:crypto'
import { backoffMs } from '../../client/backoff.ts'
import { parsedJson } from '../../platform/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  errorTo,
  type Id,
  isAnswer,
  isRequest,
  nameOf,
  privateIn,
  type RpcMessage,
  textIn,
  withoutPrivate,
  withPrivate,
} from './acp-messages.ts'
import { OpenAsks } from './open-asks.ts'
import type { TunnelSocket } from './tunnel-socket.ts'

/** One connection, and what comes of it. */
export interface TunnelConnection {
  readonly onOpen: () => void
  readonly onText: (text: string) => void
  readonly onEnd: (why: string, isRefused: boolean) => void
}

export interface TunnelOptions {
  readonly open: (connection: TunnelConnection) => TunnelSocket
  /** Writes a line to the editor. */
  readonly write: (text: string) => void
  /** What the server is told of the editor's sessions, with `initialize`. */
  readonly chosen: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly random?: () => number
}

/** Unanswered requests, and notifications that wait for the server. */
const maxKept = 1000
/** Their characters: some prompts with pictures. */
const maxKeptChars = 32 * 1024 * 1024
const backoff = { firstMs: 50, maxMs: 2000 }
/** A new request waits so long for a server; one that it has had waits on. */
const patienceMs = 10_000
/** Longer messages are refused by the server. */
const maxMessageChars = 1024 * 1024

const serverCode = -32603
const parseCode = -32700
const signInCode = -32000

interface OpenRequest {
  readonly id: Id
  readonly method: string
  readonly sessionId: string | undefined
  readonly text: string
  isSent: boolean
  stopWaiting: () => void
}

const ownId = 'holdfast-tunnel'

export class AcpTunnel {
  readonly #options: TunnelOptions
  readonly #name = randomUUID()
  readonly #unanswered = new Map<string, OpenRequest>()
  /** Where the editor is in each session that it has open. */
  readonly #sessions = new Map<string, string>()
  readonly #asks = new OpenAsks()
  #notifications: string[] = []
  #initialize: string | undefined
  #isInitialized = false
  #socket: TunnelSocket | undefined
  /** Sessions that are being attached; undefined: requests may go. */
  #attaching: Set<string> | undefined
  #isReady = false
  #attempt = 0
  #why = 'The server cannot be reached.'
  /** The credential was refused: tried again with the next request. */
  #isParked = false
  #isClosed = false

  constructor(options: TunnelOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isClosed) return
    this.#isParked = false
    const socket = this.#options.open({
      onOpen: () => this.#opened(),
      onText: (text) => this.#fromServer(text),
      onEnd: (why, isRefused) => this.#ended(why, isRefused),
    })
    this.#socket = socket
  }

  /** The editor has closed its side. Nothing is ended by that but this connection. */
  close(): void {
    this.#isClosed = true
    for (const { stopWaiting } of this.#unanswered.values()) stopWaiting()
    this.#socket?.close()
  }

  fromEditor(line: string): void {
    const message = parsedJson(line) as RpcMessage | undefined
    if (typeof message !== 'object' || message === null || Array.isArray(message))
      return this.#options.write(errorTo(null, parseCode, 'This line is no JSON-RPC message.'))
    if (line.length > maxMessageChars)
      return this.#options.write(
        errorTo(message.id ?? null, serverCode, 'The message is longer than 1 MiB.'),
      )
    if (isRequest(message)) return this.#request(message, line)
    if (isAnswer(message)) return this.#answer(message)
    if (this.#isReady) this.#socket?.send(line)
    else if (this.#notifications.length < maxKept) this.#notifications.push(line)
  }

  #request(message: RpcMessage, line: string): void {
    const { id = null, method = '' } = message
    const { write, chosen } = this.#options
    const name = nameOf(id)
    if (this.#unanswered.has(name))
      return write(errorTo(id, serverCode, 'A request with this id is under way.'))
    const chars = [...this.#unanswered.values()].reduce((sum, { text }) => sum + text.length, 0)
    if (this.#unanswered.size >= maxKept || chars + line.length > maxKeptChars)
      return write(errorTo(id, serverCode, 'Too many requests are under way; wait for some.'))
    const isInitialize = method === 'initialize'
    const fields = isInitialize
      ? { tunnel: this.#name, ...chosen }
      : { key: `${this.#name}:${name}` }
    const hasFields = typeof message.params === 'object' && message.params !== null
    const whole = hasFields ? { ...message, params: withPrivate(message.params, fields) } : message
    const text = JSON.stringify(whole)
    if (isInitialize) this.#initialize = text
    const request: OpenRequest = {
      id,
      method,
      sessionId: textIn(message.params, 'sessionId'),
      text,
      isSent: false,
      stopWaiting: () => {},
    }
    this.#unanswered.set(name, request)
    // Told anew, from its beginning.
    if (method === 'session/load') this.#sessions.delete(request.sessionId ?? '')
    if (this.#isParked) this.start()
    if (this.#isReady) this.#send(request)
    else
      request.stopWaiting = this.#options.clock.after(patienceMs, () => this.#giveUp(name, request))
  }

  #giveUp(name: string, { id, isSent }: OpenRequest): void {
    if (isSent || !this.#unanswered.delete(name)) return
    this.#options.write(errorTo(id, serverCode, this.#why))
  }

  #send(request: OpenRequest): void {
    request.stopWaiting()
    const after = request.isSent && this.#sessions.get(request.sessionId ?? '')
    request.isSent = true
    // A load that was cut goes on where it was.
    const isCut = request.method === 'session/load' && after
    this.#socket?.send(isCut ? withPosition(request.text, after) : request.text)
  }

  #answer(message: RpcMessage): void {
    const answer = this.#asks.answered(message)
    if (answer !== undefined && this.#isReady) this.#socket?.send(answer)
  }

  #opened(): void {
    // The editor's own greeting has not been answered: it goes first, as any request.
    if (!this.#isInitialized || this.#initialize === undefined) return this.#ready()
    this.#attaching = new Set(['initialize'])
    this.#socket?.send(JSON.stringify({ ...JSON.parse(this.#initialize), id: ownId }))
  }

  #attach(): void {
    const loading = new Set([...this.#unanswered.values()].map(loadedBy))
    const open = [...this.#sessions].filter(([key]) => !loading.has(key))
    this.#attaching = new Set(open.map(([key]) => key))
    for (const [key, after] of open) {
      const params = { sessionId: key, after }
      const id = `${ownId} ${key}`
      this.#say({ jsonrpc: '2.0', id, method: '_holdfast/attach', params })
    }
    if (this.#attaching.size === 0) this.#ready()
  }

  #ready(): void {
    this.#attaching = undefined
    this.#isReady = true
    this.#attempt = 0
    for (const request of this.#unanswered.values()) this.#send(request)
    for (const line of this.#notifications.splice(0)) this.#socket?.send(line)
  }

  #say(message: object): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #fromServer(text: string): void {
    const message = parsedJson(text) as RpcMessage | undefined
    if (typeof message !== 'object' || message === null) return
    if (isRequest(message)) return this.#asked(message)
    if (isAnswer(message)) return this.#answered(message, text)
    if (message.method === '$/cancel_request') return this.#withdrawn(message)
    const { at } = privateIn(message.params)
    const key = textIn(message.params, 'sessionId')
    if (typeof at === 'string' && key !== undefined) this.#sessions.set(key, at)
    const params = withoutPrivate(message.params ?? {})
    this.#options.write(JSON.stringify({ ...message, params }))
  }

  /** Asked again after a connection was lost, the editor is not shown it twice. */
  #asked(message: RpcMessage): void {
    const { show, answer } = this.#asks.asked(message)
    if (show) this.#options.write(JSON.stringify(show))
    if (answer !== undefined) this.#socket?.send(answer)
  }

  #withdrawn(message: RpcMessage): void {
    const requestId = this.#asks.withdrawn(message.params?.['requestId'] as Id)
    if (requestId !== undefined)
      this.#options.write(JSON.stringify({ ...message, params: { requestId } }))
  }

  #answered(message: RpcMessage, text: string): void {
    const { id } = message
    if (typeof id === 'string' && id.startsWith(ownId)) return this.#attached(id, message)
    const request = this.#unanswered.get(nameOf(id))
    if (!request) return
    this.#unanswered.delete(nameOf(id))
    this.#note(request, message)
    const { at } = privateIn(message.result)
    if (at === undefined || !message.result) return this.#options.write(text)
    const result = withoutPrivate(message.result)
    this.#options.write(JSON.stringify({ ...message, result }))
  }

  /** Which sessions the editor has open, and where it is in them. */
  #note({ method, sessionId: named }: OpenRequest, { result, error }: RpcMessage): void {
    if (error !== undefined) return
    if (method === 'initialize') this.#isInitialized = true
    const { at } = privateIn(result)
    const key = textIn(result, 'sessionId') ?? named
    if (typeof at === 'string' && key !== undefined) this.#sessions.set(key, at)
    const isLeft = method === 'session/close' || method === 'session/delete'
    if (isLeft && named !== undefined) this.#sessions.delete(named)
  }

  #attached(id: string, { error }: RpcMessage): void {
    if (id === ownId) return error === undefined ? this.#attach() : this.#socket?.drop()
    const key = id.slice(ownId.length + 1)
    // Gone: what is asked of it is answered so.
    if (error !== undefined) this.#sessions.delete(key)
    this.#attaching?.delete(key)
    if (this.#attaching?.size === 0) this.#ready()
  }

  #ended(why: string, isRefused: boolean): void {
    this.#isReady = false
    this.#attaching = undefined
    this.#socket = undefined
    this.#asks.connectionLost()
    this.#why = why
    if (this.#isClosed) return
    if (isRefused) return this.#refuseAll(why)
    const { clock, random = Math.random } = this.#options
    for (const [name, request] of this.#unanswered)
      if (!request.isSent) {
        request.stopWaiting()
        request.stopWaiting = clock.after(patienceMs, () => this.#giveUp(name, request))
      }
    clock.after(backoffMs(backoff, this.#attempt++, random), () => this.start())
  }

  /** The credential is not taken: nothing comes of waiting. */
  #refuseAll(why: string): void {
    this.#isParked = true
    for (const [name, { id, stopWaiting }] of this.#unanswered) {
      stopWaiting()
      this.#unanswered.delete(name)
      this.#options.write(errorTo(id, signInCode, why))
    }
  }
}

const loadedBy = ({ method, sessionId: key }: OpenRequest): string | undefined =>
  method === 'session/load' ? key : undefined

function withPosition(text: string, after: string): string {
  const message = JSON.parse(text) as RpcMessage
  const fields = { ...privateIn(message.params), after }
  return JSON.stringify({ ...message, params: withPrivate(message.params, fields) })
}
