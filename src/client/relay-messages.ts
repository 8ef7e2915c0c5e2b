/** What the relay client sends and gets (src/protocol/consoles/relay.ts), as types alone: a page that uses it loads no schema library. */
import type * as z from 'zod'
import type { RelayEventBodies, RelayMessage, snapshotMessage } from '../protocol/consoles/relay.ts'

type Sent = z.input<typeof RelayMessage>

/** A request about a user session; its id is put in by the client. */
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

/** What answers a request: an event of the session, or a list, an info, a word that nothing had to be done. */
export interface RelayAnswer {
  readonly type: string
  readonly sessionId?: string
  readonly seq?: number
  readonly [field: string]: unknown
}
