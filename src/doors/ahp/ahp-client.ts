/**
 * One client of the Agent Host Protocol. Takes its requests and actions one at a time, tells it
 * what changes in its channels, and numbers what it tells. Holds nothing of a session that is not
 * in the store: all of it is read again when a client comes back.
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { home, type StreamName } from '../../domain/stream-name.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { checked } from '../../protocol/checked-input.ts'
import type { HoldfastEvent } from '../../protocol/events.ts'
import { closeCodes } from '../../protocol/socket.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import { refusalOf } from '../../server/http/problem-answer.ts'
import { type FeedSink, type FeedSnapshot, Subscription } from '../../server/live/subscription.ts'
import type { FeedEvent } from '../../server/live/tail.ts'
import { type AcceptedSocket, SocketClient } from '../../server/websocket/socket-client.ts'
import { Channels } from './channels.ts'
import { AhpError, errorBody, Frame, idIn, type RequestId } from './json-rpc.ts'
import { Methods } from './methods.ts'
import { ThreadNews } from './thread-news.ts'

/** A client that speaks no version of ours (RFC 6455, 7.4.1). */
const policyClose = 1008
/** A minute, as there are four beats to it; clients ping after seconds. */
const maxSilentBeats = 4
/** Numbers begin at the time, so that they rise over restarts: so many for each millisecond. */
const numbersPerMs = 1024
/** Leaves room for more numbers than a connection lasts. */
const mostSeen = Number.MAX_SAFE_INTEGER - 2 ** 40

export class AhpClient extends SocketClient implements FeedSink {
  readonly subscription: Subscription
  readonly news: ThreadNews
  readonly channels: Channels
  readonly #methods: Methods
  clientId = ''
  #serverSeq: number
  /** Whether it has pinged, as one does that wants to notice when nobody answers. */
  #isPinging = false
  #silentBeats = 0

  constructor(accepted: AcceptedSocket, deps: ServerDependencies) {
    super(accepted, deps)
    const { who } = accepted.presented
    this.subscription = new Subscription(deps.store, deps.tails, this, who)
    this.#serverSeq = deps.clock.now() * numbersPerMs
    this.channels = new Channels(this, deps)
    this.news = new ThreadNews({
      deps,
      who,
      tell: (method, params) => this.notify(method, params),
      act: (channel, action) => this.act(channel, action),
      failed: (error) => this.failed(error),
    })
    this.#methods = new Methods(this, deps)
    this.listen()
  }

  /** The number of what was told last. */
  get serverSeq(): number {
    return this.#serverSeq
  }

  /** What it calls itself, as its own actions are told back. It proves nothing. */
  begin(clientId: string): void {
    this.clientId = clientId
  }

  /** Numbers what comes next behind what the client has seen, from this node or another. */
  continueBehind(seen: number): void {
    if (seen > mostSeen) throw new AhpError('notFound', 'No server has told so much')
    this.#serverSeq = Math.max(this.#serverSeq, seen)
  }

  /** Tells an action of a channel. */
  act(channel: string, action: object, more: object = {}): void {
    this.notify('action', { channel, action, serverSeq: ++this.#serverSeq, ...more })
  }

  notify(method: string, params: object): void {
    if (this.isOpen) this.webSocket.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  /**
   * One that pings and then says nothing is gone: a program between may hold its socket for hours,
   * and answers the beats.
   */
  override beat(): void {
    if (!this.#isPinging || this.#silentBeats++ < maxSilentBeats) return super.beat()
    this.detach()
    this.webSocket.close(closeCodes.resume, 'silent')
  }

  protected async handle(who: Who, bytes: Buffer): Promise<void> {
    this.#silentBeats = 0
    let id: RequestId | undefined = null
    try {
      const message = parsed(bytes)
      id = idIn(message)
      const { method, params = {}, ...frame } = readFrame(message)
      id = frame.id
      if (method === 'ping') this.#isPinging = true
      const result = await this.#methods.call(who, method, params)
      this.#answer(id, { result: result ?? null })
    } catch (error) {
      const problem =
        error instanceof AhpError ? error : refusalOf(error, this.id, this.deps.logger)
      if (problem instanceof Refusal) this.deps.figures.refusedWith(problem.code)
      this.#answer(id, { error: errorBody(problem) })
      if (problem instanceof AhpError && problem.isLast)
        this.webSocket.close(policyClose, 'refused')
    }
  }

  protected refuse(error: unknown): void {
    this.#answer(null, { error: errorBody(refusalOf(error, this.id, this.deps.logger)) })
  }

  protected detach(): void {
    this.subscription.close()
    this.news.close()
    this.channels.closeAll()
  }

  /** A notification, which has no id, is not answered. */
  #answer(id: RequestId | undefined, body: object): void {
    if (id !== undefined && this.isOpen)
      this.webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
  }

  events(events: readonly FeedEvent[]): void {
    if (!this.isOpen) return
    this.together(() => {
      for (const event of events) this.#take(event)
    })
    this.deps.figures.feedEvents += events.length
  }

  #take(event: FeedEvent): void {
    const parsedEvent = JSON.parse(event.json) as HoldfastEvent
    if (event.stream === home) this.news.take(parsedEvent)
    this.channels.take(parsedEvent)
  }

  snapshot({ streams }: FeedSnapshot): void {
    if (streams.includes(home)) this.news.readAgain()
    this.channels.readAgain(streams)
  }

  failed(error: unknown): void {
    refusalOf(error, this.id, this.deps.logger)
    this.webSocket.close(closeCodes.resume, 'resume')
  }

  lost(_: StreamName, __: Refusal): void {}
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, 'The message')
  } catch (error) {
    if (error instanceof Refusal) throw new AhpError('parse', error.message)
    throw error
  }
}

function readFrame(message: unknown) {
  try {
    return checked(Frame, message)
  } catch (error) {
    if (error instanceof Refusal) throw new AhpError('invalidRequest', error.message)
    throw error
  }
}
