/**
 * Messages accepted on `/ws` and their handlers: subscriptions, those of coordinators, and those
 * that doors take.
 */

import type * as z from 'zod'
import type { Who } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { Refusal } from '../../domain/errors.ts'
import { nearest } from '../../domain/nearest.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import { checked } from '../../protocol/checked-input.ts'
import {
  CoordinatorFacts,
  CoordinatorHello,
  CoordinatorHolds,
  CoordinatorSignIn,
  CoordinatorTake,
} from '../../protocol/processes/link.ts'
import { Subscribe, Unsubscribe } from '../../protocol/socket.ts'
import { CoordinatorTurn } from '../../protocol/turns/link.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import { streamRights } from '../../services/access/stream-rights.ts'
import { beginLaunch } from '../../services/flows/processes/begin-launch.ts'
import { registerCoordinator, storeFacts } from '../../services/flows/processes/store-facts.ts'
import { findCredential } from '../../services/review/hosts.ts'
import { findPrompt } from '../../services/turns/queries.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { SocketLink, SocketPart } from '../door.ts'
import { maskedProblem } from '../http/problem-answer.ts'
import { readableStreams } from '../live/subscription.ts'

/** Connection of a message, as its handler sees it. */
interface MessageConnection extends SocketLink {
  readonly isOpen: boolean
  readonly doorTypes: readonly string[]
  doorFor(type: string): SocketPart | undefined
}

type Handle<Message> = (
  on: MessageConnection,
  message: Message,
  who: Who,
  deps: ServerDependencies,
) => void | Promise<void>

const accept = <Schema extends z.ZodType>(
  rights: Rights,
  schema: Schema,
  handle: Handle<z.output<Schema>>,
) => ({
  rights,
  handle: (connection: MessageConnection, message: unknown, who: Who, deps: ServerDependencies) =>
    handle(connection, checked(schema, message), who, deps),
})

/** A cursor that cannot be served, so that the stream begins with its snapshot. */
const noCursor = ''

/**
 * What coordinators say (src/protocol/processes/link.ts) is accepted only with their credential: a
 * person may report an exit over REST, but orders go to a machine. After the welcome its orders are
 * sent, beginning with all that have not ended.
 */
const handlers: Readonly<Record<string, ReturnType<typeof accept>>> = {
  subscribe: accept(
    streamRights.home,
    Subscribe,
    async (connection, { streams: names, after }, who, { app }) => {
      const streams = readableStreams(names, connection.subscription.streams)
      await app.watch(streams, who)
      const ready = (cursor: string | null): void =>
        connection.answer({ type: 'subscribed', streams, cursor })
      await connection.subscription.follow(streams, after, ready)
    },
  ),
  unsubscribe: accept(streamRights.home, Unsubscribe, (connection, { streams: names }) => {
    const streams = readableStreams(names)
    connection.subscription.unfollow(streams)
    connection.answer({ type: 'unsubscribed', streams })
  }),
  'coordinator:hello': accept(
    registerCoordinator,
    CoordinatorHello,
    async (connection, hello, who, { launches, machines, app }) => {
      const { welcome, greeting } = await launches.register(who, hello)
      machines.connect({ coordinatorId: who.id, epoch: welcome.epoch, greeting, connection })
      connection.answer({ ...welcome })
      const streams = [coordinatorStream(who.id)]
      await app.watch(streams, who)
      await connection.subscription.follow(streams, noCursor, () => {})
    },
  ),
  'coordinator:take': accept(
    beginLaunch,
    CoordinatorTake,
    async (connection, take, who, { launches }) =>
      connection.answer({ ...(await launches.take(who, take)) }),
  ),
  'coordinator:holds': accept(
    beginLaunch,
    CoordinatorHolds,
    (connection, { launchIds }, who, { machines }) => machines.join(who.id, connection, launchIds),
  ),
  'coordinator:sign-in': accept(
    findCredential,
    CoordinatorSignIn,
    async (connection, step, who, { hosts }) =>
      connection.answer({
        type: 'coordinator:credential',
        credential: await hosts.credential(who, step),
      }),
  ),
  'coordinator:turn': accept(
    findPrompt,
    CoordinatorTurn,
    async (connection, turn, who, { launches }) =>
      connection.answer({ ...(await launches.prompt(who, turn)) }),
  ),
  'coordinator:facts': accept(
    storeFacts,
    CoordinatorFacts,
    async (connection, facts, who, { launches, machines, figures }) => {
      connection.answer({ ...(await launches.facts(who, facts)) })
      for (const fact of facts.facts)
        if ('unknown' in fact && fact.unknown) figures.sentUnknown(fact.unknown)
      machines.join(who.id, connection)
    },
  ),
}

export async function handleMessage(
  connection: MessageConnection,
  who: Who,
  message: unknown,
  deps: ServerDependencies,
): Promise<void> {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new Refusal('invalid_request', refusalText('messageShape'))
  const { type } = message as { type?: unknown }
  if (typeof type !== 'string')
    throw new Refusal('invalid_request', refusalText('typeMissing'), { field: 'type' })
  const door = connection.doorFor(type)
  if (door) return door.take(who, message)
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined
  if (!handler) throw unknownType(type, connection.doorTypes)
  const { rights, handle } = handler
  requireScope(who, rights.scope)
  await handle(connection, message, who, deps)
}

export function requestIdIn(message: unknown): string | undefined {
  const id = (message as { requestId?: unknown } | null)?.requestId
  return typeof id === 'string' && id.length <= 200 ? id : undefined
}

export function errorMessage(refusal: Refusal): { type: 'error'; [field: string]: unknown } {
  const { type: _, ...problem } = maskedProblem(refusal)
  return { ...problem, type: 'error' }
}

function unknownType(type: string, doorTypes: readonly string[]): Refusal {
  const near = nearest(type.slice(0, 50), [...Object.keys(handlers), ...doorTypes])
  return new Refusal('unknown_type', near ? refusalText('didYouMean', { near }) : undefined)
}
