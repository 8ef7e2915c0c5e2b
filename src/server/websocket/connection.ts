/**
 * One client on `/ws` (RL2, RL5). Handles its messages one at a time, checks the credential for
 * each, and is the sink of its subscription. An invalid message is answered with an error; the
 * connection stays open.
 */
import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { closeCodes } from '../../protocol/socket.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { SocketDoor, SocketLink, SocketMessage, SocketPart } from '../door.ts'
import { refusalOf } from '../http/problem-answer.ts'
import { Progress, untilDrained } from '../live/backpressure.ts'
import type { OpenConnection } from '../live/connections.ts'
import { type FeedSink, type FeedSnapshot, Subscription } from '../live/subscription.ts'
import type { FeedEvent } from '../live/tail.ts'
import type { Presented } from '../security/credentials.ts'
import { errorMessage, handleMessage, requestIdIn } from './messages.ts'

/** Larger messages get an error; beyond `maxPayload` the connection is closed with 1009 (SE8). */
const maxMessageBytes = 1024 * 1024
/** Upper bound of messages read and not yet handled; then reading pauses. */
const maxWaiting = 16
const missedBeatsAllowed = 2

export class SocketConnection implements FeedSink, OpenConnection, SocketLink {
  readonly kind = 'websocket'
  readonly presented: Presented
  readonly subscription: Subscription
  readonly #webSocket: WebSocket
  readonly #socket: Socket
  readonly #deps: ServerDependencies
  readonly #id: string
  readonly #progress: Progress
  readonly #doors: readonly SocketDoor[]
  /** One for each of the doors. */
  readonly #parts: readonly SocketPart[]
  #waiting: Buffer[] = []
  #handling = false
  #unansweredBeats = 0
  /** Id of the message that is being answered. */
  #requestId: string | undefined

  constructor(
    webSocket: WebSocket,
    socket: Socket,
    presented: Presented,
    id: string,
    deps: ServerDependencies,
    doors: readonly SocketDoor[],
  ) {
    this.presented = presented
    this.#webSocket = webSocket
    this.#socket = socket
    this.#deps = deps
    this.#id = id
    this.#progress = new Progress(socket)
    this.subscription = new Subscription(deps.store, deps.tails, this, presented.who)
    this.#doors = doors
    this.#parts = doors.map((door) => door.open(this, deps))
    webSocket.on('message', (data, binary) => this.#receive(data, binary))
    webSocket.on('pong', () => this.#heard())
    webSocket.on('ping', () => this.#heard())
    // An error is followed by `close`; bad frames are the client's fault.
    webSocket.on('error', (error) =>
      deps.logger.debug({ requestId: id, err: error }, 'websocket failed'),
    )
    webSocket.on('close', (code) => this.#closed(code))
    deps.connections.add(this)
  }

  get isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN
  }

  get full(): boolean {
    return this.#socket.writableNeedDrain
  }

  drained(): Promise<void> {
    return untilDrained(this.#socket)
  }

  events(events: readonly FeedEvent[]): void {
    if (!this.isOpen) return
    const together = events.length > 1
    if (together) this.#socket.cork()
    for (const event of events)
      this.sendFrame(this.#partOf(event.stream)?.frameOf(event) ?? event.socketFrame)
    if (together) this.#socket.uncork()
    this.#deps.figures.feedEvents += events.length
  }

  /**
   * Sends a prepared frame. ws writes whole frames at once without compression, so frames never
   * mix.
   */
  sendFrame(frame: Buffer): void {
    if (!this.isOpen) return
    this.#socket.write(frame)
    this.#deps.figures.feedBytes += frame.length
  }

  snapshot(snapshot: FeedSnapshot, wasAsked: boolean): void {
    const requestId = wasAsked ? this.#requestId : undefined
    for (const part of this.#parts)
      for (const message of part.snapshots(snapshot)) this.#say(message, requestId)
    const streams = snapshot.streams.filter((stream) => !this.#partOf(stream))
    if (streams.length > 0) this.#say({ type: 'snapshot', ...snapshot, streams }, requestId)
  }

  failed(error: unknown): void {
    refusalOf(error, this.#id, this.#deps.logger)
    this.#webSocket.close(closeCodes.resume, 'resume')
  }

  lost(stream: StreamName, refusal: Refusal): void {
    if (this.isOpen) this.#say({ ...errorMessage(refusal), stream }, undefined)
  }

  /** Answers the current request with its id (RL2). */
  answer(message: SocketMessage): void {
    this.#say(message, this.#requestId)
  }

  /** Sends a message nobody asked for. */
  tell(message: { readonly type: string }): void {
    if (this.isOpen) this.#say({ ...message }, undefined)
  }

  /** Types that doors take. */
  get doorTypes(): readonly string[] {
    return this.#doors.flatMap(({ types }) => types)
  }

  doorFor(type: string): SocketPart | undefined {
    return this.#parts[this.#doors.findIndex(({ types }) => types.includes(type))]
  }

  #say(message: SocketMessage, requestId: string | undefined): void {
    this.#webSocket.send(
      JSON.stringify(requestId === undefined ? message : { ...message, requestId }),
    )
  }

  #partOf(stream: StreamName): SocketPart | undefined {
    return this.#parts.find((part) => part.has(stream))
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
    if (this.#unansweredBeats++ < missedBeatsAllowed) this.#webSocket.ping()
    else this.cut()
  }

  end(why: 'revoked' | 'slow' | 'going-away'): void {
    this.subscription.close()
    if (why === 'revoked') this.#webSocket.close(closeCodes.revoked, 'revoked')
    else if (why === 'slow') this.#webSocket.close(closeCodes.resume, 'resume')
    else this.#webSocket.close(closeCodes.goingAway, 'restarting')
  }

  cut(): void {
    this.#webSocket.terminate()
  }

  #heard(): void {
    this.#unansweredBeats = 0
  }

  #receive(data: RawData, binary: boolean): void {
    this.#heard()
    // ws gives one Buffer by default; an empty text stands for a binary message.
    this.#waiting.push(binary ? Buffer.alloc(0) : (data as Buffer))
    if (this.#waiting.length > maxWaiting) this.#webSocket.pause()
    if (!this.#handling) void this.#handleWaiting()
  }

  async #handleWaiting(): Promise<void> {
    this.#handling = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      // A client that does not read its answers is not read from.
      if (this.full) {
        this.#webSocket.pause()
        await this.drained()
      }
      if (!this.isOpen) break
      await this.#handle(next)
      if (this.#webSocket.isPaused && this.#waiting.length === 0) this.#webSocket.resume()
    }
    this.#handling = false
  }

  async #handle(bytes: Buffer): Promise<void> {
    const { credentials, figures, logger } = this.#deps
    try {
      const who = await credentials.whoHas(this.presented.hash)
      if (!who) return this.end('revoked')
      credentials.use(this.presented)
      if (bytes.length > maxMessageBytes)
        throw new Refusal('too_large', undefined, { limit: maxMessageBytes })
      const message = parseJson(bytes)
      this.#requestId = requestIdIn(message)
      await handleMessage(this, who, message, this.#deps)
    } catch (error) {
      const refusal = refusalOf(error, this.#id, logger)
      figures.refusedWith(refusal.code)
      this.answer(errorMessage(refusal))
    } finally {
      this.#requestId = undefined
    }
  }

  #closed(code: number): void {
    this.subscription.close()
    for (const part of this.#parts) part.close()
    this.#deps.offers.leave(this.presented.who.id, this)
    this.#waiting = []
    this.#deps.connections.remove(this)
    this.#deps.logger.debug({ requestId: this.#id, code }, 'websocket closed')
  }
}
