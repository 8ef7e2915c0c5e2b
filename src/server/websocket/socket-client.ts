/**
 * One client on a WebSocket, whatever is spoken there (RL5): takes its messages one at a time,
 * checks the credential for each, notices that it is gone, and does not read from one that does not
 * read. What a message means is for who extends it.
 */
import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { closeCodes } from '../../protocol/socket.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { Progress, untilDrained } from '../live/backpressure.ts'
import type { OpenConnection } from '../live/connections.ts'
import type { Presented } from '../security/credentials.ts'

/** Larger messages get an error; beyond `maxPayload` the connection is closed with 1009 (SE8). */
const maxMessageBytes = 1024 * 1024
/** Upper bound of messages read and not yet handled; then reading pauses. */
const maxWaiting = 16
const missedBeatsAllowed = 2

/** A WebSocket whose upgrade was accepted. */
export interface AcceptedSocket {
  readonly webSocket: WebSocket
  readonly socket: Socket
  readonly presented: Presented
  /** Names the connection in the log. */
  readonly id: string
}

export abstract class SocketClient implements OpenConnection {
  readonly kind = 'websocket'
  readonly presented: Presented
  protected readonly deps: ServerDependencies
  protected readonly id: string
  protected readonly webSocket: WebSocket
  readonly #socket: Socket
  readonly #progress: Progress
  #waiting: Buffer[] = []
  #handling = false
  #unansweredBeats = 0

  constructor({ webSocket, socket, presented, id }: AcceptedSocket, deps: ServerDependencies) {
    this.presented = presented
    this.webSocket = webSocket
    this.#socket = socket
    this.deps = deps
    this.id = id
    this.#progress = new Progress(socket)
  }

  /** Handles one message of the client. An empty text stands for a binary one. */
  protected abstract handle(who: Who, bytes: Buffer): Promise<void>
  /** Answers a message that was refused, or whose handling failed. */
  protected abstract refuse(error: unknown): void
  /** Ends what the client follows. */
  protected abstract detach(): void

  /** Call once everything is there that `handle` needs. */
  protected listen(): void {
    const { webSocket } = this
    webSocket.on('message', (data, binary) => this.#receive(data, binary))
    webSocket.on('pong', () => this.#heard())
    webSocket.on('ping', () => this.#heard())
    // An error is followed by `close`; bad frames are the client's fault.
    webSocket.on('error', (error) =>
      this.deps.logger.debug({ requestId: this.id, err: error }, 'websocket failed'),
    )
    webSocket.on('close', (code) => this.#closed(code))
    this.deps.connections.add(this)
  }

  get isOpen(): boolean {
    return this.webSocket.readyState === this.webSocket.OPEN
  }

  get full(): boolean {
    return this.#socket.writableNeedDrain
  }

  drained(): Promise<void> {
    return untilDrained(this.#socket)
  }

  /** Writes what is sent within as one. */
  protected together(send: () => void): void {
    this.#socket.cork()
    send()
    this.#socket.uncork()
  }

  /**
   * Sends a prepared frame. ws writes whole frames at once without compression, so frames never
   * mix.
   */
  sendFrame(frame: Buffer): void {
    if (!this.isOpen) return
    this.#socket.write(frame)
    this.deps.figures.feedBytes += frame.length
  }

  get waitingBytes(): number {
    return this.#progress.waitingBytes
  }

  look(): number {
    return this.#progress.countStuckChecks()
  }

  beat(): void {
    // A beat would queue behind unread data; `look` detects a stuck client.
    if (this.full) return
    if (this.#unansweredBeats++ < missedBeatsAllowed) this.webSocket.ping()
    else this.cut()
  }

  end(why: 'revoked' | 'slow' | 'going-away'): void {
    this.detach()
    if (why === 'revoked') this.webSocket.close(closeCodes.revoked, 'revoked')
    else if (why === 'slow') this.webSocket.close(closeCodes.resume, 'resume')
    else this.webSocket.close(closeCodes.goingAway, 'restarting')
  }

  cut(): void {
    this.webSocket.terminate()
  }

  #heard(): void {
    this.#unansweredBeats = 0
  }

  #receive(data: RawData, binary: boolean): void {
    this.#heard()
    // ws gives one Buffer by default; an empty text stands for a binary message.
    this.#waiting.push(binary ? Buffer.alloc(0) : (data as Buffer))
    if (this.#waiting.length > maxWaiting) this.webSocket.pause()
    if (!this.#handling) void this.#handleWaiting()
  }

  async #handleWaiting(): Promise<void> {
    this.#handling = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // A client that does not read its answers is not read from.
      if (this.full) {
        this.webSocket.pause()
        await this.drained()
      }
      if (!this.isOpen) break
      await this.#handle(next)
      if (this.webSocket.isPaused && this.#waiting.length === 0) this.webSocket.resume()
    }
    this.#handling = false
  }

  async #handle(bytes: Buffer): Promise<void> {
    const { credentials } = this.deps
    try {
      const who = await credentials.whoHas(this.presented.hash)
      if (!who) return this.end('revoked')
      credentials.use(this.presented)
      if (bytes.length > maxMessageBytes)
        throw new Refusal('too_large', undefined, { limit: maxMessageBytes })
      await this.handle(who, bytes)
    } catch (error) {
      this.refuse(error)
    }
  }

  #closed(code: number): void {
    this.detach()
    this.#waiting = []
    this.deps.connections.remove(this)
    this.deps.logger.debug({ requestId: this.id, code }, 'websocket closed')
  }
}
