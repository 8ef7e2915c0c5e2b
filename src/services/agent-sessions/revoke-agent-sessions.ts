/**
 * Ends live agent sessions whose right to be there is taken away (SE3): the agent is off the project, deleted, or has another
 * passkey. In the same commit, so that the next call finds it so. What they have left open the sweeper closes.
 */
import type { LiveAgentSession } from '../../domain/agent-sessions/lifecycle.ts'
import { Refusal } from '../../domain/errors.ts'
import { liveOfAgent } from '../../store/agent-sessions/agent-sessions.ts'
import type { Context, Tx } from '../../store/store.ts'
import { endAgentSession } from './agent-session-end.ts'

/** Of one agent, over all its projects. */
export const maxRevoked = 1000

/** The use case names `home` and the streams of their projects. */
export async function revokeAgentSessions(tx: Tx, live: readonly LiveAgentSession[], context: Context): Promise<void> {
  for (const each of live) await endAgentSession(tx, each, { reason: 'revoked', openConversations: [] }, context)
}

/** All of an agent's. One that has begun since `projectIds` were looked up is in nobody's list: then all is to be done again. */
export async function revokeAllOfAgent(tx: Tx, agentId: string, projectIds: readonly string[], context: Context): Promise<void> {
  const live = await liveOfAgent(tx, agentId, maxRevoked)
  if (live.some(({ projectId }) => !projectIds.includes(projectId)))
    throw new Refusal('busy', `${agentId} has just begun to work in another project; try again`)
  await revokeAgentSessions(tx, live, context)
}
