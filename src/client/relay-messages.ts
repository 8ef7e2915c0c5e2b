/**
 * The messages of the relay client (src/protocol/consoles/relay.ts) as types only, so that a page
 * loads no schema library.
 */
import type * as z from 'zod'
import type { RelayEventBodies, RelayMessage, snapshotMessage } from '../protocol/consoles/relay.ts'

type Sent = z.input<typeof RelayMessage>

/** A request about a user session; the client adds its id. */
export type RelayRequest = WithoutId<Exclude<Sent, { type: 'session:create' | 'session:resume' }>>
type WithoutId<Message> = Message extends unknown ? Omit<Message, 'requestId'> : never

interface EventHead<Type> {
  readonly type: Type
  readonly sessionId: string
  /** Dense from 1 in its user session. */
  readonly seq: number
  readonly timestamp: string
}

export type RelayEvent = {
  readonly [Type in keyof RelayEventBodies]: EventHead<Type> & Readonly<RelayEventBodies[Type]>
}[keyof RelayEventBodies]

export type RelaySnapshot = ReturnType<typeof snapshotMessage>

/**
 * The answer to a request: an event of the session, a list, an info, or a note that nothing had to
 * be done.
 */
export interface RelayAnswer {
  readonly type: string
  readonly sessionId?: string
  readonly seq?: number
  readonly [field: string]: unknown
}
