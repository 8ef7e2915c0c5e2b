/**
 * Messages of coordinators on `/ws` (src/protocol/processes/link.ts), accepted only with a coordinator's credential. After the
 * welcome the coordinator's orders are sent, beginning with all that have not ended.
 */
import type { Who } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { coordinatorStream } from '../../domain/stream-name.ts'
import { checked } from '../../protocol/checked-input.ts'
import { CoordinatorFacts, CoordinatorHello, CoordinatorTake } from '../../protocol/processes/link.ts'
import { CoordinatorTurn } from '../../protocol/turns/link.ts'
import type { ServerDependencies } from '../dependencies.ts'
import type { MessageConnection } from '../websocket/messages.ts'

type Handle = (connection: MessageConnection, who: Who, message: unknown, deps: ServerDependencies) => Promise<void>

/** A cursor that cannot be served, so that the stream begins with its snapshot. */
const noCursor = ''

const handlers: Readonly<Record<string, Handle>> = {
  'coordinator:hello': async (connection, who, message, { launches }) => {
    connection.answer({ ...(await launches.register(who, checked(CoordinatorHello, message))) })
    await connection.subscription.follow([coordinatorStream(who.id)], noCursor, () => {})
  },
  'coordinator:take': async (connection, who, message, { launches }) =>
    connection.answer({ ...(await launches.take(who, checked(CoordinatorTake, message))) }),
  'coordinator:turn': async (connection, who, message, { launches }) =>
    connection.answer({ ...(await launches.prompt(who, checked(CoordinatorTurn, message))) }),
  'coordinator:facts': async (connection, who, message, { launches, offers, figures }) => {
    const facts = checked(CoordinatorFacts, message)
    connection.answer({ ...(await launches.facts(who, facts)) })
    for (const fact of facts.facts) if ('unknown' in fact && fact.unknown) figures.sentUnknown(fact.unknown)
    if (connection.isOpen) offers.hear(who.id, facts.epoch, connection)
  },
}

export const coordinatorMessages = Object.keys(handlers)

/** Refuses other credentials: a person may report an exit over REST, but orders go to a machine. */
export async function handleCoordinatorMessage(
  connection: MessageConnection,
  who: Who,
  message: { readonly type: string },
  deps: ServerDependencies,
): Promise<void> {
  if (!who.scopes.includes('coordinator')) throw new Refusal('missing_scope', undefined, { scope: 'coordinator' })
  await handlers[message.type]?.(connection, who, message, deps)
}
