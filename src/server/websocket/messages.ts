/** Messages accepted on `/ws` and their handlers. */

import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { nearest } from '../../domain/nearest.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import { checked } from '../../protocol/checked-input.ts'
import { relayTypes } from '../../protocol/consoles/relay.ts'
import { ClientMessage } from '../../protocol/socket.ts'
import { handleRelayMessage, type RelayConnection } from '../consoles/relay.ts'
import type { ServerDependencies } from '../dependencies.ts'
import { maskedProblem } from '../http/problem-answer.ts'
import { checkStreams, readableStreams, type Subscription } from '../live/subscription.ts'
import { coordinatorMessages, handleCoordinatorMessage } from '../processes/coordinator-messages.ts'

/** Connection of a message, as its handler sees it. */
export interface MessageConnection extends RelayConnection {
  readonly subscription: Subscription
  readonly isOpen: boolean
  tell(message: { readonly type: string }): void
}

type Handlers = {
  readonly [Type in ClientMessage['type']]: (
    connection: MessageConnection,
    message: Extract<ClientMessage, { type: Type }>,
    checkAll: (streams: readonly StreamName[]) => Promise<void>,
  ) => Promise<void>
}

const handlers: Handlers = {
  subscribe: async (connection, { streams: names, after }, checkAll) => {
    const streams = readableStreams(names, connection.subscription.streams)
    await checkAll(streams)
    const ready = (cursor: string | null): void => connection.answer({ type: 'subscribed', streams, cursor })
    await connection.subscription.follow(streams, after, ready)
  },
  unsubscribe: async (connection, { streams: names }) => {
    const streams = readableStreams(names)
    connection.subscription.unfollow(streams)
    connection.answer({ type: 'unsubscribed', streams })
  },
}

export async function handleMessage(
  connection: MessageConnection,
  who: Who,
  message: unknown,
  deps: ServerDependencies,
): Promise<void> {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new Refusal('invalid_request', refusalText('messageShape'))
  }
  const { type } = message as { type?: unknown }
  if (typeof type !== 'string') throw new Refusal('invalid_request', refusalText('typeMissing'), { field: 'type' })
  if (coordinatorMessages.includes(type)) return handleCoordinatorMessage(connection, who, { ...message, type }, deps)
  if (relayTypes.includes(type)) return handleRelayMessage(connection, who, message, deps)
  if (!Object.hasOwn(handlers, type)) throw unknownType(type)
  if (!who.scopes.includes('read')) throw new Refusal('missing_scope', undefined, { scope: 'read' })
  const known = checked(ClientMessage, message)
  const checkAll = (streams: readonly StreamName[]) => checkStreams(deps.store, who, streams)
  if (known.type === 'subscribe') return handlers.subscribe(connection, known, checkAll)
  return handlers.unsubscribe(connection, known, checkAll)
}

export function requestIdIn(message: unknown): string | undefined {
  const id = (message as { requestId?: unknown } | null)?.requestId
  return typeof id === 'string' && id.length <= 200 ? id : undefined
}

export function errorMessage(refusal: Refusal): { type: 'error'; [field: string]: unknown } {
  const { type: _, ...problem } = maskedProblem(refusal)
  return { ...problem, type: 'error' }
}

function unknownType(type: string): Refusal {
  const near = nearest(type.slice(0, 50), [...Object.keys(handlers), ...relayTypes, ...coordinatorMessages])
  return new Refusal('unknown_type', near ? refusalText('didYouMean', { near }) : undefined)
}
