/**
 * User sessions that one WebSocket is attached to (RL4, US3). Their events come through the
 * connection's subscription and leave as relay messages, from the number the client saw last,
 * without gaps or duplicates.
 */

import { randomUUID } from 'node:crypto'
import type { Who } from '../../domain/access/caller.ts'
import type { Rights } from '../../domain/access/rights.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { parseStream, type StreamName, userSessionStream } from '../../domain/stream-name.ts'
import { checked } from '../../protocol/checked-input.ts'
import {
  RelayMessage,
  type RelayRequest,
  relayAnswer,
  relayText,
  relayTypes,
  requestIn,
  snapshotMessage,
} from '../../protocol/consoles/relay.ts'
import type { UserSessionState } from '../../protocol/consoles/user-session.ts'
import { receiptIn, receiptOf } from '../../server/consoles/relay-receipts.ts'
import type { ServerDependencies } from '../../server/dependencies.ts'
import type { SocketLink, SocketMessage, SocketPart } from '../../server/door.ts'
import { type FeedSnapshot, stillFree } from '../../server/live/subscription.ts'
import { FeedEvent, type FrameForm } from '../../server/live/tail.ts'
import { requireScope } from '../../services/access/require-scope.ts'
import { configureAgent } from '../../services/consoles/configure-agent.ts'
import { type EndOf, getUserSession } from '../../services/consoles/queries.ts'
import {
  answerPermission,
  answerQuestion,
} from '../../services/flows/approvals/answer-permission.ts'
import {
  createUserSession,
  terminateUserSession,
} from '../../services/flows/consoles/change-user-session.ts'
import { terminateRoleAgent } from '../../services/flows/consoles/end-role-agent.ts'
import { spawnRoleAgent } from '../../services/flows/consoles/spawn-role-agent.ts'
import { cancelTurn, withdrawPrompt } from '../../services/flows/turns/cancel-turn.ts'
import { goOnInRole } from '../../services/flows/turns/end-limit.ts'
import { sendPrompt } from '../../services/flows/turns/send-prompt.ts'
import { encodeCursor } from '../../store/page-cursor.ts'
import type { Door } from '../door.ts'

/** A cursor that cannot be served, so that the stream begins with its snapshot. */
const noCursor = ''

/** Upper bound of terminations requested by others whose end a connection waits for. */
const maxAwaited = 32

class Relay implements SocketPart {
  /** Receipts of requests without an id of their own belong to the connection. */
  readonly connectionId = randomUUID()
  readonly #link: SocketLink
  readonly #deps: ServerDependencies
  readonly #streams = new Set<StreamName>()
  #awaited = 0

  constructor(link: SocketLink, deps: ServerDependencies) {
    this.#link = link
    this.#deps = deps
  }

  take(who: Who, message: unknown): Promise<void> {
    return handleRelayMessage(this, who, message, this.#deps)
  }

  /** Whether events of this stream leave as messages of the relay. */
  has(stream: StreamName): boolean {
    return this.#streams.size > 0 && this.#streams.has(stream)
  }

  frameOf(event: FeedEvent): Buffer {
    return event.frameIn(relayForm)
  }

  answer(message: SocketMessage): void {
    this.#link.answer(message)
  }

  /** Sends a message nobody waits for. */
  tell(message: SocketMessage): void {
    this.#link.tell(message)
  }

  isAttached(userSessionId: string): boolean {
    return this.#streams.has(userSessionStream(userSessionId))
  }

  /** Refuses before a session is created that could not be followed. */
  requireFreeStream(): void {
    stillFree([userSessionStream('')], this.#link.subscription.streams)
  }

  /**
   * Follows the stream after `lastSeq`; without it, from a snapshot. `ready` is called before
   * anything is sent.
   */
  async attach(
    userSessionId: string,
    lastSeq: number | undefined,
    ready: () => void = () => {},
  ): Promise<void> {
    const { store, attached } = this.#deps
    const { subscription } = this.#link
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

  /**
   * Runs a request and makes sure its answer arrives: attaches the sender, and sends an answer that
   * has already passed again.
   */
  async request(userSessionId: string, work: () => Promise<number | null>): Promise<void> {
    const { store } = this.#deps
    const { subscription } = this.#link
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
    const { store } = this.#deps
    const [row] = await store.eventsAfter(userSessionStream(userSessionId), seq - 1, 1)
    // A trimmed event cannot be sent again.
    if (row?.seq === seq) this.#link.sendFrame(this.frameOf(new FeedEvent(row, store.incarnation)))
  }

  /** Converts the user sessions of a snapshot to relay messages. */
  snapshots({ streams, state }: FeedSnapshot): ReturnType<typeof snapshotMessage>[] {
    return streams
      .filter((stream) => this.has(stream))
      .map((stream) => {
        const userSession = state[stream] as UserSessionState
        return snapshotMessage(
          parseStream(stream)?.id ?? '',
          userSession.userSession?.headSeq ?? 0,
          userSession,
        )
      })
  }

  /**
   * RL2: the event has the id of the first request; later ones are answered under their own. Does
   * not block other messages.
   */
  answerWhenEnded({ requestId, userSessionId }: Change, end: EndOf): null {
    if (requestId === undefined) return null
    if (this.#awaited >= maxAwaited) throw new Refusal('busy', undefined)
    this.#awaited++
    void this.#deps.userSessions
      .whenEnded(userSessionId, end)
      .then((answer) => answer && this.tell({ ...answer, requestId }))
      // The store cannot be read; a repeated request reports it.
      .catch(() => {})
      .finally(() => this.#awaited--)
    return null
  }

  close(): void {
    this.#deps.attached.leave([...this.#streams].map((stream) => parseStream(stream)?.id ?? ''))
    this.#streams.clear()
  }
}

const relayForm: FrameForm = ({ stream, seq, type, at, data }) =>
  relayText(type, parseStream(stream)?.id ?? '', seq, at, data ?? '{}')

export const relayDoor: Door = {
  socket: { types: relayTypes, open: (link, deps) => new Relay(link, deps) },
}

/**
 * Requests about user sessions on `/ws` (RL1-RL6). A request is answered by an event of the
 * session's stream, which the sender follows; only lists, infos and errors are direct answers. A
 * repeated request is answered by the same event.
 */
/** What each request calls: which scope that needs, and whose it is. */
export const relayRights: Readonly<Record<RelayRequest['type'], Rights>> = {
  'session:create': createUserSession,
  'session:resume': getUserSession,
  'session:terminate': terminateUserSession,
  'agent:spawn': spawnRoleAgent,
  'agent:message': sendPrompt,
  'agent:withdraw': withdrawPrompt,
  'agent:cancel': cancelTurn,
  'agent:terminate': terminateRoleAgent,
  // In some modes an agent asks nobody any more.
  'agent:configure': configureAgent,
  'agent:go-on': goOnInRole,
  'agent:list': getUserSession,
  'agent:get': getUserSession,
  'permission:answer': answerPermission,
  'question:answer': answerQuestion,
}

async function handleRelayMessage(
  relay: Relay,
  who: Who,
  message: unknown,
  deps: ServerDependencies,
): Promise<void> {
  const request = requestIn(checked(RelayMessage, message))
  const { userSessions } = deps
  requireScope(who, relayRights[request.type].scope)
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
        relay.answer(relayAnswer('session:resumed', id, { headSeq })),
      )
    }
    case 'agent:list': {
      const { id, agents } = await userSessions.get(who, request.userSessionId)
      return relay.answer(relayAnswer('agent:list', id, { agents }))
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
      return relay.answer(relayAnswer('agent:info', id, { agent }))
    }
    default:
      // Who answers or changes follows what comes of it.
      await deps.app.watch([userSessionStream(request.userSessionId)], who)
      return relay.request(request.userSessionId, () => decide(relay, who, request, deps))
  }
}

type Change = Exclude<
  RelayRequest,
  { type: 'session:create' | 'session:resume' | 'agent:list' | 'agent:get' }
>

/**
 * Runs the request. Returns the number of the answering event, or null when it comes later or the
 * answer was sent here.
 */
async function decide(
  relay: Relay,
  who: Who,
  request: Change,
  { userSessions }: ServerDependencies,
): Promise<number | null> {
  switch (request.type) {
    case 'session:terminate': {
      const ended = await userSessions.terminate(who, request)
      return 'seq' in ended ? ended.seq : relay.answerWhenEnded(request, ended.awaits)
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
        return 'seq' in ended ? ended.seq : relay.answerWhenEnded(request, ended.awaits)
      // AG3: nothing had to be done.
      const { userSessionId, role } = request
      relay.answer(
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
