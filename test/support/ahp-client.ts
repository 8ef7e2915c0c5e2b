/**
 * A client of the Agent Host Protocol for tests: requests and their answers, and what is told in
 * between, in the order in which it came.
 */
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails without
type Anything = any

interface AhpOptions {
  readonly port: number
  /** In the address. */
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
}

export class AhpTestClient {
  readonly messages: Anything[] = []
  readonly #socket: WebSocket
  readonly #answers = new Map<number | null, (message: Anything) => void>()
  #waiting: (() => void)[] = []
  #nextId = 1

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#take(JSON.parse(String(data))))
  }

  readonly closed = new Promise<number>((resolve) => {
    queueMicrotask(() => this.#socket.on('close', resolve))
  })

  #take(message: Anything): void {
    const answer = 'id' in message ? this.#answers.get(message.id) : undefined
    if (answer) answer(message)
    else this.messages.push(message)
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** The whole answer, with `result` or `error`. */
  ask(method: string, params: object = {}): Promise<Anything> {
    const id = this.#nextId++
    const answer = new Promise<Anything>((resolve) => this.#answers.set(id, resolve))
    this.send({ jsonrpc: '2.0', id, method, params })
    return answer
  }

  async result(method: string, params: object = {}): Promise<Anything> {
    const { result, error } = await this.ask(method, params)
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`)
    return result
  }

  send(message: object | string | Buffer): void {
    const isRaw = typeof message === 'string' || Buffer.isBuffer(message)
    this.#socket.send(isRaw ? message : JSON.stringify(message))
  }

  /** The first message that fits, of what was told or will be. */
  async until(fits: (message: Anything) => boolean): Promise<Anything> {
    for (;;) {
      const found = this.messages.find(fits)
      if (found) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  /** The next answer without an id of a request. */
  untilError(): Promise<Anything> {
    return new Promise((resolve) => this.#answers.set(null, resolve))
  }

  initialize(more: object = {}): Promise<Anything> {
    return this.result('initialize', {
      channel: 'ahp-root://',
      protocolVersions: ['0.9.0'],
      clientId: 'c1',
      initialSubscriptions: ['ahp-root://'],
      ...more,
    })
  }

  close(): void {
    this.#socket.terminate()
  }
}

/** Opens a connection, or gives the status of the refusal. */
export function openAhp({
  port,
  token,
  headers = {},
  path = '/ahp',
}: AhpOptions): Promise<AhpTestClient | number> {
  const query = token === undefined ? '' : `?tkn=${token}`
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}${query}`, { headers })
  onTestFinished(() => socket.terminate())
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(new AhpTestClient(socket)))
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.once('error', (error) => {
      if (!/Unexpected server response/.test(error.message)) reject(error)
    })
  })
}

export async function ahpClient(options: AhpOptions): Promise<AhpTestClient> {
  const opened = await openAhp(options)
  if (typeof opened === 'number') throw new Error(`The connection was refused: ${opened}`)
  return opened
}
