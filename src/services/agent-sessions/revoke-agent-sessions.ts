/**
 * Ends live agent sessions that lost their access (SE3): the agent was unassigned, deleted, or got a new passkey. Runs in the
 * same commit, so that the next call sees it. The sweeper closes what they left open.
 */

import type { LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import { liveOfAgent } from '../../store/agent-sessions/agent-sessions.ts'
import type { Context, Tx } from '../../store/store.ts'
import { endAgentSession } from './agent-session-end.ts'

/** Sessions of one agent over all its projects. */
export const maxRevoked = 1000

/** The calling use case locks `home` and the streams of their projects. */
export async function revokeAgentSessions(tx: Tx, live: readonly LiveAgentSession[], context: Context): Promise<void> {
  for (const each of live) await endAgentSession(tx, each, { reason: 'revoked', openConversations: [] }, context)
}

/** Ends all sessions of an agent. Refuses as busy if one began in a project that is not locked. */
export async function revokeAllOfAgent(tx: Tx, agentId: string, projectIds: readonly string[], context: Context): Promise<void> {
  const live = await liveOfAgent(tx, agentId, maxRevoked)
  if (live.some(({ projectId }) => !projectIds.includes(projectId)))
    throw new Refusal('busy', refusalText('beginsElsewhere', { agent: agentId }))
  await revokeAgentSessions(tx, live, context)
}
