/** Read queries for agent sessions: callers, lists, due sessions, and pairs that have work. */

import { expiresAtToWrite, maxTerminatingMs } from '../../domain/agent-sessions/expiry.ts'
import { pendingPurposeLifetimeMs } from '../../domain/agent-sessions/work-detection.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  type AgentSessionState,
  type AgentSessionsFilter,
  agentSessionsPage,
  type Post,
  selectAgentSessionState,
  selectAgentSessionStateByToken,
  selectLiveAgentSession,
  selectLiveAgentSessionStates,
  selectNewestOfAgent,
  selectNewestOfLaunch,
} from '../../store/agent-sessions/agent-sessions.ts'
import {
  type DueAgentSession,
  dueOf,
  type LiveKey,
  liveAfter,
  selectDue,
  selectLeftOpen,
} from '../../store/agent-sessions/due-agent-sessions.ts'
import { type PostsFilter, postsWithWork } from '../../store/agent-sessions/work-at-hand.ts'
import { laneOf } from '../../store/conversations/conversation-identity.ts'
import type { AgentCaller } from '../../store/conversations/unread.ts'
import { selectMeta } from '../../store/meta.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { settingsFrom } from '../projects/project-record.ts'
import { noSuchAgentSession, roleAgentSession } from './agent-session-record.ts'

export interface Claim {
  readonly tokenHash: string | null
  /** The agent whose own bearer token was used. Null for another's. */
  readonly agentId: string | null
  /** The launch whose bearer token was used. The session is then that launch's. */
  readonly launchId?: string | undefined
}

export interface CallingSession extends AgentCaller {
  readonly calledAt: Instant
  /** AS6, PX4: the call must be recorded first (`touch-agent-session`). */
  readonly touches: boolean
}

/** Whether a process of its agent is there for a conversation, which begins at once what waits. */
export const findServing = defineQuery('find-serving', {
  scope: 'read',
  on: 'conversation',
  run: async (reader, { key }: { key: string }): Promise<boolean> => {
    const row = await reader.row('conversations', { key })
    if (!row || row.agent_id === null || row.project_id === null) return false
    const { agent_id: agentId, project_id: projectId } = row
    const post = { agentId, projectId, lane: await laneOf(reader, key, agentId) }
    const live = await reader.first(selectLiveAgentSession, { ...post, purpose: 'chat' })
    return live?.state === 'active'
  },
})

/**
 * Finds the calling agent session by session token, or by the agent's bearer token (AS1). Includes
 * ended ones, because two calls have answers for them (AS8). Never another agent's (SE3).
 */
export const findAgentSession = defineQuery('find-agent-session', {
  scope: 'agent',
  on: 'caller',
  run: async (reader, claim: Claim, { now }): Promise<CallingSession> =>
    (await inRole(reader, claim, now)) ??
    callingSession(await claimedAgentSession(reader, claim), now),
})

/** AC2: an agent in a role calls with its launch token alone. */
async function inRole(
  reader: Reader,
  { tokenHash, launchId }: Claim,
  now: Instant,
): Promise<CallingSession | undefined> {
  const held =
    tokenHash === null && launchId !== undefined
      ? await roleAgentSession(reader, launchId)
      : undefined
  return (
    held && {
      agentSessionId: held.id,
      agentId: held.agentId,
      projectId: held.projectId,
      calledAt: now,
      touches: false,
    }
  )
}

export function callingSession(row: AgentSessionState, now: Instant): CallingSession {
  const caller = { agentSessionId: row.id, agentId: row.agent_id, projectId: row.project_id }
  if (row.state === 'ended') return { ...caller, calledAt: now, touches: false }
  if (row.assigned_at === null) throw new Refusal('session_ended', undefined, { reason: 'revoked' })
  const ttlMs = durationMs(settingsFrom(row.project_settings), 'agent_session.ttl_minutes')
  const touches =
    row.suspected_at !== null || expiresAtToWrite(now, row.expires_at, ttlMs) !== undefined
  return { ...caller, calledAt: now, touches }
}

export async function claimedAgentSession(
  reader: Reader,
  { tokenHash, agentId, launchId }: Claim,
): Promise<AgentSessionState> {
  if (tokenHash === null)
    return launchId === undefined
      ? agentSessionOfBearer(reader, agentId)
      : agentSessionOfLaunch(reader, launchId)
  const row = await reader.first(selectAgentSessionStateByToken, { tokenHash })
  if (!row) throw new Refusal('authentication_failed', refusalText('tokenNotKnown'))
  if (agentId !== null && row.agent_id !== agentId) throw noSuchAgentSession()
  return row
}

/** The live session, or else the last one, so that a lost exit answer can be repeated. */
async function agentSessionOfBearer(
  reader: Reader,
  agentId: string | null,
): Promise<AgentSessionState> {
  if (agentId === null) throw new Refusal('unauthenticated', refusalText('tokenNeeded'))
  const [live, another] = await reader.all(selectLiveAgentSessionStates, { agentId, limit: 2 })
  if (another)
    throw new Refusal('invalid_request', refusalText('tokenNeededSeveral'), {
      field: 'session_token',
    })
  return (
    live ?? agentSessionWithId(reader, (await reader.first(selectNewestOfAgent, { agentId }))?.id)
  )
}

async function agentSessionOfLaunch(reader: Reader, launchId: string): Promise<AgentSessionState> {
  if (await roleAgentSession(reader, launchId))
    throw new Refusal('wrong_state', refusalText('workInRole'))
  return agentSessionWithId(reader, (await reader.first(selectNewestOfLaunch, { launchId }))?.id)
}

async function agentSessionWithId(
  reader: Reader,
  id: string | undefined,
): Promise<AgentSessionState> {
  const row = id === undefined ? undefined : await reader.first(selectAgentSessionState, { id })
  if (!row) throw new Refusal('not_found', refusalText('authenticateFirst'))
  return row
}

/** Lists agent sessions, newest first, in pages, with the end reason of ended ones. */
export const listAgentSessions = defineQuery('list-agent-sessions', {
  scope: 'read',
  on: 'nobody',
  run: async (
    reader,
    { limit, cursor, ...filter }: PageQuery & AgentSessionsFilter,
  ): Promise<Page<AgentSession>> =>
    cutPage(await agentSessionsPage(reader, filter, pageParams({ limit, cursor })), limit),
})

/** Lists all live agent sessions in pages, to move their deadlines. */
export const listLiveAgentSessions = defineQuery('list-live-agent-sessions', {
  scope: 'server',
  on: 'nobody',
  run: (
    reader,
    { after, limit }: { after: LiveKey; limit: number },
  ): Promise<(DueAgentSession & LiveKey)[]> => liveAfter(reader, after, limit),
})

/** Rows of one query. */
export const duePageSize = 100

/** Lists due agent sessions, oldest first, at a cost that does not grow with ended ones. */
export const findDueAgentSessions = defineQuery('find-due-agent-sessions', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (reader, _: Record<never, never>, { now }): Promise<DueAgentSession[]> => {
    const due = await reader.all(selectDue, {
      until: now,
      terminatingUntil: later(now, -maxTerminatingMs),
      limit: duePageSize,
    })
    return [...new Map(due.map((row) => [row.id, dueOf(row)])).values()]
  },
})

export interface LeftOpen {
  readonly conversationKey: string
  readonly agentSessionId: string
}

/** AS9: lists conversations that an ended agent session left open. */
export const findLeftOpen = defineQuery('find-left-open', {
  scope: 'server',
  on: 'nobody',
  withoutSnapshot: true,
  run: async (reader): Promise<LeftOpen[]> =>
    (await reader.all(selectLeftOpen, { limit: duePageSize })).map((row) => ({
      conversationKey: row.conversation_key,
      agentSessionId: row.agent_session_id,
    })),
})

/** The time of the last sweep before this server started. Undefined if there was none. */
export const findLastSweep = defineQuery('find-last-sweep', {
  scope: 'server',
  on: 'nobody',
  run: async (reader): Promise<Instant | undefined> =>
    (await reader.first(selectMeta, { key: 'agent_sessions_swept_at' }))?.value,
})

export const postsPageSize = 200

/** Lists the posts that may need a process, of a project, an agent, or all, in pages. */
export const findPostsWithWork = defineQuery('find-posts-with-work', {
  scope: 'server',
  on: 'nobody',
  run: async (
    reader,
    { after, ...filter }: PostsFilter & { after?: Post | undefined },
    { now },
  ): Promise<Post[]> => {
    // Nothing can be started.
    if ((await connectedCoordinators(reader)).length === 0) return []
    const openedAfter = later(now, -pendingPurposeLifetimeMs)
    return postsWithWork(reader, filter, after, { openedAfter, limit: postsPageSize })
  },
})
