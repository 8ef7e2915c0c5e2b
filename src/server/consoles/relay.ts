/**
 * User sessions that one WebSocket is attached to (RL4, US3). Their events come through the connection's subscription and leave
 * as relay messages, from the number the client saw last, without gaps or duplicates.
 */

import type { Who } from '../../domain/access/caller.ts'
import type { Scope } from '../../domain/access/scopes.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { parseStream, type StreamName, userSessionStream } from '../../domain/stream-name.ts'
import { checked } from '../../protocol/checked-input.ts'
import {
  RelayMessage,
  type RelayRequest,
  relayAnswer,
  requestIn,
  snapshotMessage,
} from '../../protocol/consoles/relay.ts'
import type { UserSessionState } from '../../protocol/consoles/user-session.ts'
import type { EndOf } from '../../services/consoles/queries.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import type { Store } from '../../store/store.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Presence } from '../live/presence.ts'
import { type FeedSnapshot, type Subscription, stillFree } from '../live/subscription.ts'
import { FeedEvent } from '../live/tail.ts'
import { receiptIn, receiptOf } from './user-sessions.ts'

/** A cursor that cannot be served, so that the stream begins with its snapshot. */
const noCursor = ''

export interface RelayOptions {
  readonly store: Store
  readonly attached: Presence
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
  async attach(
    userSessionId: string,
    lastSeq: number | undefined,
    ready: () => void = () => {},
  ): Promise<void> {
    const { store, subscription, attached } = this.#options
    const stream = userSessionStream(userSessionId)
    stillFree([stream], subscription.streams)
    const after =
      lastSeq === undefined
        ? noCursor
        : encodeCursor(store.incarnation, new Map([[stream, lastSeq]]))
    await subscription.follow([stream], after, () => {
      if (!this.#streams.has(stream)) attached.enter([userSessionId])
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
        return snapshotMessage(
          parseStream(stream)?.id ?? '',
          known.userSession?.headSeq ?? 0,
          known,
        )
      })
  }

  close(): void {
    this.#options.attached.leave([...this.#streams].map((stream) => parseStream(stream)?.id ?? ''))
    this.#streams.clear()
  }
}

/**
 * Requests about user sessions on `/ws` (RL1-RL6). A request is answered by an event of the session's stream, which the sender
 * follows; only lists, infos and errors are direct answers. A repeated request is answered by the same event.
 */
export interface RelayConnection {
  readonly relay: Relay
  answer(message: { readonly type: string; readonly [field: string]: unknown }): void
  tell(message: { readonly type: string; readonly [field: string]: unknown }): void
  /** Number of terminations requested by another connection whose end this connection waits for. */
  awaited: number
}

/** Upper bound per connection. */
const maxAwaited = 32

const reads: ReadonlySet<RelayRequest['type']> = new Set([
  'session:resume',
  'agent:list',
  'agent:get',
])

/** Requests that need the scope of the inbox: answering a permission, and setting a mode in which an agent may no longer ask. */
const approves: ReadonlySet<RelayRequest['type']> = new Set([
  'permission:answer',
  'question:answer',
  'agent:configure',
])

const scopeOf = (type: RelayRequest['type']): Scope =>
  reads.has(type) ? 'read' : approves.has(type) ? 'approve' : 'write'

export async function handleRelayMessage(
  connection: RelayConnection,
  who: Who,
  message: unknown,
  deps: ServerDependencies,
): Promise<void> {
  const request = requestIn(checked(RelayMessage, message))
  const scope = scopeOf(request.type)
  if (!who.scopes.includes(scope)) throw new Refusal('missing_scope', undefined, { scope })
  const { relay } = connection
  const { userSessions } = deps
  switch (request.type) {
    case 'session:create': {
      relay.requireFreeStream()
      const { userSessionId, seq } = await userSessions.create(
        who,
        request,
        receiptOf(relay.connectionId, request),
      )
      return relay.isAttached(userSessionId)
        ? relay.resend(userSessionId, seq)
        : relay.attach(userSessionId, 0)
    }
    case 'session:resume': {
      const { id, headSeq } = await userSessions.get(who, request.userSessionId)
      return relay.attach(id, request.lastSeq, () =>
        connection.answer(relayAnswer('session:resumed', id, { headSeq })),
      )
    }
    case 'agent:list': {
      const { id, agents } = await userSessions.get(who, request.userSessionId)
      return connection.answer(relayAnswer('agent:list', id, { agents }))
    }
    case 'agent:get': {
      const { id, agents } = await userSessions.get(who, request.userSessionId)
      const agent = agents.find(({ role }) => role === request.role)
      if (!agent)
        throw new Refusal(
          'agent_not_found',
          refusalText('roleHeldByNone', { role: request.role }),
          { role: request.role },
        )
      return connection.answer(relayAnswer('agent:info', id, { agent }))
    }
    default:
      await userSessions.find(who, request.userSessionId)
      return relay.request(request.userSessionId, () => decide(connection, who, request, deps))
  }
}

type Change = Exclude<
  RelayRequest,
  { type: 'session:create' | 'session:resume' | 'agent:list' | 'agent:get' }
>

/** Runs the request. Returns the number of the answering event, or null when it comes later or the answer was sent here. */
async function decide(
  connection: RelayConnection,
  who: Who,
  request: Change,
  { userSessions }: ServerDependencies,
): Promise<number | null> {
  switch (request.type) {
    case 'session:terminate': {
      const ended = await userSessions.terminate(who, request)
      return 'seq' in ended
        ? ended.seq
        : answerWhenEnded(connection, request, userSessions, ended.awaits)
    }
    case 'agent:spawn':
      return (await userSessions.spawn(who, request, receiptIn(request))).seq
    case 'agent:message':
      return (await userSessions.prompt(who, request, receiptIn(request))).seq
    case 'agent:withdraw':
    case 'agent:configure':
    case 'agent:go-on':
      return userSessions.apply(who, request)
    case 'agent:cancel':
      return userSessions.cancel(who, request)
    case 'agent:terminate': {
      const ended = await userSessions.terminateAgent(who, request)
      if (ended !== 'nobody')
        return 'seq' in ended
          ? ended.seq
          : answerWhenEnded(connection, request, userSessions, ended.awaits)
      // AG3: nothing had to be done.
      const { userSessionId, role } = request
      connection.answer(
        relayAnswer('agent:terminated', userSessionId, { role, reason: 'already terminated' }),
      )
      return null
    }
    case 'permission:answer':
      return userSessions.answer(who, request)
    case 'question:answer':
      return userSessions.answerInSession(who, request)
  }
}

/** RL2: the event has the id of the first request; later ones are answered under their own. Does not block other messages. */
function answerWhenEnded(
  connection: RelayConnection,
  request: Change,
  userSessions: ServerDependencies['userSessions'],
  end: EndOf,
): null {
  const { requestId, userSessionId } = request
  if (requestId === undefined) return null
  if (connection.awaited >= maxAwaited) throw new Refusal('busy', undefined)
  connection.awaited++
  void userSessions
    .whenEnded(userSessionId, end)
    .then((answer) => answer && connection.tell({ ...answer, requestId }))
    // The store cannot be read; a repeated request reports it.
    .catch(() => {})
    .finally(() => connection.awaited--)
  return null
}
