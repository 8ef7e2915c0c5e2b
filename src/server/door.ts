/**
 * What the server knows of a door: one way in for people and programs. Each is a folder of
 * src/doors and a line in its list; the server listens, checks credentials and follows the log for
 * all of them.
 */
import type { FastifyInstance } from 'fastify'
import type { Who } from '../domain/access/caller.ts'
import type { StreamName } from '../domain/stream-name.ts'
import type { ServerDependencies } from './dependencies.ts'
import type { FeedSnapshot, Subscription } from './live/subscription.ts'
import type { FeedEvent } from './live/tail.ts'
import type { AcceptedSocket } from './websocket/socket-client.ts'

export interface ServerDoor {
  /** Registers what is answered over HTTP. */
  readonly http?: (app: FastifyInstance, deps: ServerDependencies) => void
  readonly socket?: SocketDoor
  /** WebSockets at addresses of its own, by path. */
  readonly sockets?: Readonly<Record<string, SocketAddress>>
}

/** A WebSocket at an address of its own, with what is spoken there. */
export interface SocketAddress {
  /**
   * Where in the address a token of the kind `door` may stand (SE31), for clients that can send no
   * header.
   */
  readonly tokenParameter?: string
  /** Loads the door's code before the first upgrade; what it returns serves a client. */
  load(deps: ServerDependencies): Promise<(accepted: AcceptedSocket) => void>
}

/** Messages of `/ws` that a door takes. */
export interface SocketDoor {
  readonly types: readonly string[]
  open(link: SocketLink, deps: ServerDependencies): SocketPart
}

export interface SocketMessage {
  readonly type: string
  readonly [field: string]: unknown
}

/** A connection, as a door sees it. */
export interface SocketLink {
  readonly subscription: Subscription
  /** Answers the message that is being handled. */
  answer(message: SocketMessage): void
  /** Sends a message nobody asked for. */
  tell(message: { readonly type: string }): void
  sendFrame(frame: Buffer): void
}

/** A door on one connection. */
export interface SocketPart {
  /** Takes a message of one of its types. */
  take(who: Who, message: unknown): Promise<void>
  /** Whether events of this stream leave in the door's own form. */
  has(stream: StreamName): boolean
  frameOf(event: FeedEvent): Buffer
  /** The streams of a snapshot that leave in the door's own form. */
  snapshots(snapshot: FeedSnapshot): readonly SocketMessage[]
  close(): void
}
