/**
 * Agent sessions that have expired are ended (AS6, NA5, PX4), and conversations that an ended one
 * left open are closed (AS9). Deadlines do not pass while no agent could be heard (hearing.ts).
 */
import type { Logger } from '../platform/log/logger.ts'
import type { LastSeen } from '../server/agent-sessions/agent-calls.ts'
import {
  duePageSize,
  findDueAgentSessions,
  findLeftOpen,
  type LeftOpen,
} from '../services/agent-sessions/queries.ts'
import { closeConversation } from '../services/conversations/change-conversation.ts'
import { sweepAgentSession } from '../services/flows/agent-sessions/sweep-agent-session.ts'
import type { DueAgentSession } from '../store/agent-sessions/due-agent-sessions.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

const everyMs = 2000
/** Pages of one look; the rest waits for the next. */
const maxPages = 50

export interface DueAgentSessionsOptions {
  readonly store: Store
  readonly logger: Pick<Logger, 'info'>
  readonly lastSeen: LastSeen
}

export const dueAgentSessions = (options: DueAgentSessionsOptions): readonly DueWork[] => [
  expiredAgentSessions(options),
  conversationsLeftOpen(options),
]

function expiredAgentSessions({
  store,
  logger,
  lastSeen,
}: DueAgentSessionsOptions): DueWork<DueAgentSession> {
  return {
    everyMs,
    failureText: 'expired agent sessions could not be ended',
    atOnce: duePageSize,
    find: () => dueInPages(store),
    async run(due) {
      const lastSeenAt = lastSeen.of(due.agentSessionId)
      const { ended } = await store.run(sweepAgentSession, { ...due, lastSeenAt })
      if (ended === null) return
      lastSeen.forget(due.agentSessionId)
      logger.info({ ...due, reason: ended }, 'agent session ended')
    },
  }
}

/**
 * The next page is read when the last one is handled. Those that stay, such as suspected ones, come
 * up once.
 */
async function* dueInPages(store: Store): AsyncGenerator<DueAgentSession> {
  const seen = new Set<string>()
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await store.query(findDueAgentSessions, {})
    const others = page.filter(({ agentSessionId }) => !seen.has(agentSessionId))
    for (const { agentSessionId } of others) seen.add(agentSessionId)
    yield* others
    if (others.length < duePageSize) return
  }
}

const conversationsLeftOpen = ({ store }: DueAgentSessionsOptions): DueWork<LeftOpen> => ({
  everyMs,
  failureText: 'conversations of ended agent sessions could not be closed',
  atOnce: duePageSize,
  find: () => store.query(findLeftOpen, {}),
  run: (due) => store.run(closeConversation, due),
})
