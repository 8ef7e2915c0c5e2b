/**
 * One client on `/ws` (RL2): what it says is for subscriptions, coordinators and doors, and it is
 * the sink of its subscription. An invalid message is answered with an error; the connection stays
 * open.
 */
import type { Who } from '../../domain/access/caller.ts'
import type { Refusal } from '../../domain/errors.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { parseJson } from '../../platform/parse-json.ts'
import { closeCodes } from '../../protocol/socket.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { SocketDoor, SocketLink, SocketMessage, SocketPart } from '../door.ts'
import { refusalOf } from '../http/problem-answer.ts'
import { type FeedSink, type FeedSnapshot, Subscription } from '../live/subscription.ts'
import type { FeedEvent } from '../live/tail.ts'
import { errorMessage, handleMessage, requestIdIn } from './messages.ts'
import { type AcceptedSocket, SocketClient } from './socket-client.ts'

export class SocketConnection extends SocketClient implements FeedSink, SocketLink {
  readonly subscription: Subscription
  readonly #doors: readonly SocketDoor[]
  /** One for each of the doors. */
  readonly #parts: readonly SocketPart[]
  /** Id of the message that is being answered. */
  #requestId: string | undefined

  constructor(accepted: AcceptedSocket, deps: ServerDependencies, doors: readonly SocketDoor[]) {
    super(accepted, deps)
    this.subscription = new Subscription(deps.store, deps.tails, this, accepted.presented.who)
    this.#doors = doors
    this.#parts = doors.map((door) => door.open(this, deps))
    accepted.webSocket.on('close', () => this.#closed())
    this.listen()
  }

  events(events: readonly FeedEvent[]): void {
    if (!this.isOpen) return
    const send = (): void => {
      for (const event of events)
        this.sendFrame(this.#partOf(event.stream)?.frameOf(event) ?? event.socketFrame)
    }
    if (events.length > 1) this.together(send)
    else send()
    this.deps.figures.feedEvents += events.length
  }

  snapshot(snapshot: FeedSnapshot, wasAsked: boolean): void {
    const requestId = wasAsked ? this.#requestId : undefined
    for (const part of this.#parts)
      for (const message of part.snapshots(snapshot)) this.#say(message, requestId)
    const streams = snapshot.streams.filter((stream) => !this.#partOf(stream))
    if (streams.length > 0) this.#say({ type: 'snapshot', ...snapshot, streams }, requestId)
  }

  failed(error: unknown): void {
    refusalOf(error, this.id, this.deps.logger)
    this.webSocket.close(closeCodes.resume, 'resume')
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
    this.webSocket.send(
      JSON.stringify(requestId === undefined ? message : { ...message, requestId }),
    )
  }

  #partOf(stream: StreamName): SocketPart | undefined {
    return this.#parts.find((part) => part.has(stream))
  }

  protected async handle(who: Who, bytes: Buffer): Promise<void> {
    const message = parseJson(bytes)
    this.#requestId = requestIdIn(message)
    await handleMessage(this, who, message, this.deps)
    this.#requestId = undefined
  }

  protected refuse(error: unknown): void {
    const refusal = refusalOf(error, this.id, this.deps.logger)
    this.deps.figures.refusedWith(refusal.code)
    this.answer(errorMessage(refusal))
    this.#requestId = undefined
  }

  protected detach(): void {
    this.subscription.close()
  }

  #closed(): void {
    for (const part of this.#parts) part.close()
    this.deps.machines.leave(this.presented.who.id, this)
  }
}
