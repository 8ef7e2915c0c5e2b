/** What the sweeper has to look at now: a bounded number of each, the oldest first. Costs the same however many have ended. */
import { terminatingAtMostMs } from '../domain/agent-session/expiry.ts'
import { later } from '../domain/instant.ts'
import { type DueAgentSession, dueOf, selectDue, selectLeftOpen } from '../store/queries/due-agent-sessions.ts'
import { defineQuery } from '../store/store.ts'

/** Of each kind, in one look. */
export const dueAtOnce = 100

interface Due {
  readonly agentSessions: readonly DueAgentSession[]
  /** AS9: conversations that an ended session has left open. */
  readonly leftOpen: readonly { readonly conversationKey: string; readonly agentSessionId: string }[]
}

/** Nearly always. */
const nothing: Due = { agentSessions: [], leftOpen: [] }

export const findDueAgentSessions = defineQuery({
  name: 'find-due-agent-sessions',
  // Each is looked at again before anything is done about it.
  withoutSnapshot: true,
  run: async (reader, _: Record<never, never>, { now }): Promise<Due> => {
    const due = await reader.all(selectDue, {
      until: now,
      terminatingUntil: later(now, -terminatingAtMostMs),
      limit: dueAtOnce,
    })
    const leftOpen = await reader.all(selectLeftOpen, { limit: dueAtOnce })
    if (due.length === 0 && leftOpen.length === 0) return nothing
    return {
      agentSessions: [...new Map(due.map((row) => [row.id, dueOf(row)])).values()],
      leftOpen: leftOpen.map((row) => ({ conversationKey: row.conversation_key, agentSessionId: row.agent_session_id })),
    }
  },
})
