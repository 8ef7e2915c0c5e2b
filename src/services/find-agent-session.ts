/**
 * Whose call it is: the agent session that a session token stands for, or, without one, the session of the agent whose bearer
 * it is (AS1). Also one that has ended, because two calls have answers for it (AS8). No agent gets at another's (SE3).
 */
import { expiresAtToWrite } from '../domain/agent-session/expiry.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import {
  type AgentSessionRow,
  liveOfAgent,
  selectAgentSession,
  selectAgentSessionByToken,
  selectNewestOfAgent,
} from '../store/queries/agent-sessions.ts'
import { selectNewestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { selectAssignment } from '../store/queries/assignments.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { noSuchAgentSession } from './live-agent-session.ts'
import { settingsOf } from './project-settings.ts'

interface Claim {
  readonly tokenHash: string | null
  /** The agent whose own bearer the call came with; null when it was another's. */
  readonly agentId: string | null
  /** The launch whose bearer that was; then the session is that launch's. */
  readonly launchId?: string | undefined
}

export interface CallingSession extends Receiver {
  readonly calledAt: Instant
  /** AS6, PX4: this call has to be written down before anything else (`touch-agent-session`). */
  readonly touches: boolean
}

export const findAgentSession = defineQuery({
  name: 'find-agent-session',
  run: async (reader, claim: Claim, { now }): Promise<CallingSession> => {
    const row = await claimed(reader, claim)
    const caller = { agentSessionId: row.id, agentId: row.agent_id, projectId: row.project_id }
    if (row.state === 'ended') return { ...caller, calledAt: now, touches: false }
    if (!(await reader.first(selectAssignment, { project_id: row.project_id, agent_id: row.agent_id })))
      throw new Refusal('session_ended', undefined, { reason: 'revoked' })
    const ttlMs = durationMs(await settingsOf(reader, row.project_id), 'agent_session.ttl_minutes')
    const touches = row.suspected_at !== null || expiresAtToWrite(now, row.expires_at, ttlMs) !== undefined
    return { ...caller, calledAt: now, touches }
  },
})

async function claimed(reader: Reader, { tokenHash, agentId, launchId }: Claim): Promise<AgentSessionRow> {
  if (tokenHash === null) return launchId === undefined ? ofBearer(reader, agentId) : ofLaunch(reader, launchId)
  const row = await reader.first(selectAgentSessionByToken, { tokenHash })
  if (!row) throw new Refusal('authentication_failed', 'This session token is not known')
  if (agentId !== null && row.agent_id !== agentId) throw noSuchAgentSession()
  return row
}

/** The live one; the last one when none is, so that an exit whose answer was lost can be had again. */
async function ofBearer(reader: Reader, agentId: string | null): Promise<AgentSessionRow> {
  if (agentId === null) throw new Refusal('unauthenticated', 'A session_token is needed, because the bearer is not an agent’s')
  const [live, another] = await liveOfAgent(reader, agentId, 2)
  if (another)
    throw new Refusal('invalid_request', 'A session_token is needed, because this agent has several sessions', {
      field: 'session_token',
    })
  const row = await (live ? reader.first(selectAgentSession, { id: live.id }) : reader.first(selectNewestOfAgent, { agentId }))
  if (!row) throw noSessionYet()
  return row
}

async function ofLaunch(reader: Reader, launchId: string): Promise<AgentSessionRow> {
  const row = await reader.first(selectNewestOfLaunch, { launchId })
  if (!row) throw noSessionYet()
  return row
}

const noSessionYet = (): Refusal => new Refusal('not_found', 'This agent has no session; call authenticate first')
