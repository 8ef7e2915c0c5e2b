/**
 * User sessions that one WebSocket is attached to (RL4, US3). Their events come through the connection's subscription and leave
 * as relay messages, from the number the client saw last, without gaps or duplicates.
 */
import { parseStream, type StreamName, userSessionStream } from '../../domain/stream-name.ts'
import { snapshotMessage } from '../../protocol/consoles/relay.ts'
import type { UserSessionState } from '../../protocol/consoles/user-session.ts'
import { encodeCursor } from '../../store/log/cursor.ts'
import type { Store } from '../../store/store.ts'
import { stillFree } from '../live/stream-names.ts'
import type { FeedSnapshot, Subscription } from '../live/subscription.ts'
import { FeedEvent } from '../live/tail.ts'
import type { AttachedSessions } from './attached-sessions.ts'

/** A cursor that cannot be served, so that the stream begins with its snapshot. */
const noCursor = ''

export interface RelayOptions {
  readonly store: Store
  readonly attached: AttachedSessions
  readonly subscription: Subscription
  readonly connectionId: string
  readonly send: (frame: Buffer) => void
}

export class Relay {
  readonly connectionId: string
  readonly #options: RelayOptions
  readonly #streams = new Set<StreamName>()

  constructor(options: RelayOptions) {
    this.connectionId = options.connectionId
    this.#options = options
  }

  /** Whether events of this stream leave as messages of the relay. */
  has(stream: StreamName): boolean {
    return this.#streams.size > 0 && this.#streams.has(stream)
  }

  isAttached(userSessionId: string): boolean {
    return this.#streams.has(userSessionStream(userSessionId))
  }

  /** Refuses before a session is created that could not be followed. */
  requireFreeStream(): void {
    stillFree([userSessionStream('')], this.#options.subscription.streams)
  }

  /** Follows the stream after `lastSeq`; without it, from a snapshot. `ready` is called before anything is sent. */
  async attach(userSessionId: string, lastSeq: number | undefined, ready: () => void = () => {}): Promise<void> {
    const { store, subscription, attached } = this.#options
    const stream = userSessionStream(userSessionId)
    stillFree([stream], subscription.streams)
    const after = lastSeq === undefined ? noCursor : encodeCursor(store.incarnation, new Map([[stream, lastSeq]]))
    await subscription.follow([stream], after, () => {
      if (!this.#streams.has(stream)) attached.attach(userSessionId)
      this.#streams.add(stream)
      ready()
    })
  }

  /** Runs a request and makes sure its answer arrives: attaches the sender, and sends an answer that has already passed again. */
  async request(userSessionId: string, work: () => Promise<number | null>): Promise<void> {
    const { store, subscription } = this.#options
    const stream = userSessionStream(userSessionId)
    if (!this.isAttached(userSessionId)) {
      const [position] = await store.positions([stream])
      await this.attach(userSessionId, position?.head ?? 0)
    }
    const before = subscription.positionOf(stream)
    const seq = await work()
    if (seq !== null && seq <= before) await this.resend(userSessionId, seq)
  }

  async resend(userSessionId: string, seq: number): Promise<void> {
    const { store, send } = this.#options
    const [row] = await store.eventsAfter(userSessionStream(userSessionId), seq - 1, 1)
    // A trimmed event cannot be sent again.
    if (row?.seq === seq) send(new FeedEvent(row, store.incarnation).relayFrame)
  }

  /** Converts the user sessions of a snapshot to relay messages. */
  snapshots({ streams, state }: FeedSnapshot): ReturnType<typeof snapshotMessage>[] {
    return streams
      .filter((stream) => this.has(stream))
      .map((stream) => {
        const known = state[stream] as UserSessionState
        return snapshotMessage(parseStream(stream)?.id ?? '', known.userSession?.headSeq ?? 0, known)
      })
  }

  close(): void {
    for (const stream of this.#streams) this.#options.attached.detach(parseStream(stream)?.id ?? '')
    this.#streams.clear()
  }
}
