/**
 * One connection that stays open and asks one thing at a time, with next to nothing of a client's
 * own time in it: what is measured through it is the server.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Without an answer for so long, something is wrong. */
const patienceMs = 60_000
const headEnd = '\r\n\r\n'

export interface RequestOptions {
  readonly token?: string
  readonly accept?: string
}

/** The bytes of a request, made once and sent many times. */
export function requestBytes(
  method: string,
  path: string,
  body?: unknown,
  { token, accept }: RequestOptions = {},
) {
  const text = body === undefined ? '' : JSON.stringify(body)
  return (port: number): Buffer =>
    Buffer.from(
      [
        `${method} ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        ...(token ? [`Authorization: Bearer ${token}`] : []),
        ...(accept ? [`Accept: ${accept}`] : []),
        ...(text
          ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]
          : []),
        '',
        text,
      ].join('\r\n'),
    )
}

export class KeepAlive {
  readonly port: number
  #socket: Socket
  #received = ''
  #waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined

  private constructor(port: number, socket: Socket) {
    this.port = port
    this.#socket = this.#use(socket)
  }

  static async open(port: number): Promise<KeepAlive> {
    return new KeepAlive(port, await dial(port))
  }

  /** Resolves with the answer's body; fails unless it is a 2xx. */
  async ask(bytes: Buffer): Promise<string> {
    // Servers close what was idle for long.
    if (this.#socket.closed || this.#socket.readableEnded)
      this.#socket = this.#use(await dial(this.port))
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`There was no answer within ${patienceMs} ms`)),
        patienceMs,
      )
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(late)
          this.#waiting = undefined
          settle(value)
        }
      this.#waiting = { resolve: settled(resolve), reject: settled(reject) }
      this.#socket.write(bytes)
    })
  }

  async json<Answer>(bytes: (port: number) => Buffer): Promise<Answer> {
    return JSON.parse(Buffer.from(await this.ask(bytes(this.port)), 'latin1').toString())
  }

  close(): void {
    this.#socket.destroy()
  }

  #use(socket: Socket): Socket {
    this.#received = ''
    socket.setEncoding('latin1')
    socket.setNoDelay(true)
    socket.on('data', (chunk: string) => this.#take(chunk))
    socket.on('close', () =>
      this.#waiting?.reject(new Error('The server has closed the connection')),
    )
    socket.on('error', () => undefined)
    return socket
  }

  #take(chunk: string): void {
    this.#received += chunk
    const end = this.#received.indexOf(headEnd)
    if (end < 0) return
    const head = this.#received.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    const from = end + headEnd.length
    if (this.#received.length < from + length) return
    const body = this.#received.slice(from, from + length)
    this.#received = this.#received.slice(from + length)
    if (/^HTTP\/1\.1 2/.test(head)) this.#waiting?.resolve(body)
    else this.#waiting?.reject(new Error(`${head.split('\r\n', 1)[0]}: ${body}`))
  }
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
