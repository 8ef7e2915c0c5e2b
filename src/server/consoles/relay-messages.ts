/**
 * Requests about user sessions on `/ws` (RL1-RL6). A request is answered by an event of the session's stream, which the sender
 * follows; only lists, infos and errors are direct answers. A repeated request is answered by the same event.
 */

import type { Who } from '../../domain/access/caller.ts'
import type { Scope } from '../../domain/access/scopes.ts'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { checked } from '../../protocol/checked-input.ts'
import {
  infoAnswer,
  listAnswer,
  RelayMessage,
  type RelayRequest,
  requestIn,
  resumedAnswer,
  terminatedAnswer,
} from '../../protocol/consoles/relay.ts'
import type { EndOf } from '../../services/consoles/queries.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { Relay } from './relay.ts'

export interface RelayConnection {
  readonly relay: Relay
  answer(message: { readonly type: string; readonly [field: string]: unknown }): void
  tell(message: { readonly type: string; readonly [field: string]: unknown }): void
  /** Number of terminations requested by another connection whose end this connection waits for. */
  awaited: number
}

/** Upper bound per connection. */
const maxAwaited = 32

const reads: ReadonlySet<RelayRequest['type']> = new Set(['session:resume', 'agent:list', 'agent:get'])

/** Requests that need the scope of the inbox: answering a permission, and setting a mode in which an agent may no longer ask. */
const approves: ReadonlySet<RelayRequest['type']> = new Set(['permission:answer', 'agent:configure'])

const scopeOf = (type: RelayRequest['type']): Scope => (reads.has(type) ? 'read' : approves.has(type) ? 'approve' : 'write')

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
      const { userSessionId, seq } = await userSessions.create(who, request, relay.connectionId)
      return relay.isAttached(userSessionId) ? relay.resend(userSessionId, seq) : relay.attach(userSessionId, 0)
    }
    case 'session:resume': {
      const userSession = await userSessions.get(who, request.userSessionId)
      return relay.attach(userSession.id, request.lastSeq, () => connection.answer(resumedAnswer(userSession)))
    }
    case 'agent:list':
      return connection.answer(listAnswer(await userSessions.get(who, request.userSessionId)))
    case 'agent:get': {
      const { id, agents } = await userSessions.get(who, request.userSessionId)
      const agent = agents.find(({ role }) => role === request.role)
      if (!agent)
        throw new Refusal('agent_not_found', refusalText('roleHeldByNone', { role: request.role }), { role: request.role })
      return connection.answer(infoAnswer(id, agent))
    }
    default:
      await userSessions.find(who, request.userSessionId)
      return relay.request(request.userSessionId, () => decide(connection, who, request, deps))
  }
}

type Change = Exclude<RelayRequest, { type: 'session:create' | 'session:resume' | 'agent:list' | 'agent:get' }>

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
      return 'seq' in ended ? ended.seq : answerWhenEnded(connection, request, userSessions, ended.awaits)
    }
    case 'agent:spawn':
      return userSessions.spawn(who, request)
    case 'agent:message':
      return userSessions.prompt(who, request)
    case 'agent:withdraw':
      return userSessions.withdraw(who, request)
    case 'agent:cancel':
      return userSessions.cancel(who, request)
    case 'agent:terminate': {
      const ended = await userSessions.terminateAgent(who, request)
      if (ended !== 'nobody') return 'seq' in ended ? ended.seq : answerWhenEnded(connection, request, userSessions, ended.awaits)
      connection.answer(terminatedAnswer(request.userSessionId, request.role))
      return null
    }
    case 'agent:configure':
      return userSessions.configure(who, request)
    case 'agent:go-on':
      return userSessions.goOn(who, request)
    case 'permission:answer':
      return userSessions.answer(who, request)
  }
}

/**
 * RL2: the event carries the id of the first request; later requesters are answered under their own id. Waits without blocking
 * the connection's other messages.
 */
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
