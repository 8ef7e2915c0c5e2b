/**
 * Whose call it is: the agent session that a session token stands for, or, without one, the session of the agent whose bearer
 * it is (AS1). Also one that has ended, because two calls have answers for it (AS8). No agent gets at another's (SE3).
 */
import { expiresAtToWrite } from '../domain/agent-session/expiry.ts'
import { Refusal } from '../domain/errors.ts'
import type { Instant } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { selectNewestOfAgent } from '../store/queries/agent-sessions.ts'
import { selectNewestOfLaunch } from '../store/queries/agent-sessions-of-launch.ts'
import { type StandingRow, selectLiveStandings, selectStanding, selectStandingByToken } from '../store/queries/standing.ts'
import type { Receiver } from '../store/queries/unread.ts'
import { defineQuery, type Reader } from '../store/store.ts'
import { noSuchAgentSession } from './live-agent-session.ts'
import { settingsFrom } from './project-settings.ts'
import { roleAgentSession } from './role-agent-session.ts'

export interface Claim {
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
  run: async (reader, claim: Claim, { now }): Promise<CallingSession> =>
    (await inRole(reader, claim, now)) ?? callingSession(await claimed(reader, claim), now),
})

/** AC2: with its launch token alone. */
async function inRole(reader: Reader, { tokenHash, launchId }: Claim, now: Instant): Promise<CallingSession | undefined> {
  const held = tokenHash === null && launchId !== undefined ? await roleAgentSession(reader, launchId) : undefined
  return held && { agentSessionId: held.id, agentId: held.agentId, projectId: held.projectId, calledAt: now, touches: false }
}

export function callingSession(row: StandingRow, now: Instant): CallingSession {
  const caller = { agentSessionId: row.id, agentId: row.agent_id, projectId: row.project_id }
  if (row.state === 'ended') return { ...caller, calledAt: now, touches: false }
  if (row.assigned_at === null) throw new Refusal('session_ended', undefined, { reason: 'revoked' })
  const ttlMs = durationMs(settingsFrom(row.project_settings), 'agent_session.ttl_minutes')
  const touches = row.suspected_at !== null || expiresAtToWrite(now, row.expires_at, ttlMs) !== undefined
  return { ...caller, calledAt: now, touches }
}

export async function claimed(reader: Reader, { tokenHash, agentId, launchId }: Claim): Promise<StandingRow> {
  if (tokenHash === null) return launchId === undefined ? ofBearer(reader, agentId) : ofLaunch(reader, launchId)
  const row = await reader.first(selectStandingByToken, { tokenHash })
  if (!row) throw new Refusal('authentication_failed', 'This session token is not known')
  if (agentId !== null && row.agent_id !== agentId) throw noSuchAgentSession()
  return row
}

/** The live one; the last one when none is, so that an exit whose answer was lost can be had again. */
async function ofBearer(reader: Reader, agentId: string | null): Promise<StandingRow> {
  if (agentId === null) throw new Refusal('unauthenticated', 'A session_token is needed, because the bearer is not an agent’s')
  const [live, another] = await reader.all(selectLiveStandings, { agentId, limit: 2 })
  if (another)
    throw new Refusal('invalid_request', 'A session_token is needed, because this agent has several sessions', {
      field: 'session_token',
    })
  return live ?? withId(reader, (await reader.first(selectNewestOfAgent, { agentId }))?.id)
}

async function ofLaunch(reader: Reader, launchId: string): Promise<StandingRow> {
  if (await roleAgentSession(reader, launchId))
    throw new Refusal(
      'wrong_state',
      'You work in a role of a console: what to do is told to you, so there is nothing to ask for here',
    )
  return withId(reader, (await reader.first(selectNewestOfLaunch, { launchId }))?.id)
}

async function withId(reader: Reader, id: string | undefined): Promise<StandingRow> {
  const row = id === undefined ? undefined : await reader.first(selectStanding, { id })
  if (!row) throw new Refusal('not_found', 'This agent has no session; call authenticate first')
  return row
}
