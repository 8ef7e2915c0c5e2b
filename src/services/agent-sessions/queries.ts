/** Reads about agent sessions, which of them are due, and which agents have work. */
import { expiresAtToWrite, terminatingAtMostMs } from '../../domain/agent-sessions/expiry.ts'
import { pendingPurposeLifetimeMs } from '../../domain/agent-sessions/work-detection.ts'
import { Refusal } from '../../domain/errors.ts'
import { type Instant, later } from '../../domain/instant.ts'
import { durationMs } from '../../domain/projects/duration.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  type AgentSessionsFilter,
  agentSessionsPage,
  type Pair,
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
import {
  type StandingRow,
  selectLiveStandings,
  selectStanding,
  selectStandingByToken,
} from '../../store/agent-sessions/standing.ts'
import { type PairsFilter, pairsWithWork } from '../../store/agent-sessions/work-at-hand.ts'
import type { Receiver } from '../../store/conversations/unread.ts'
import { selectMeta } from '../../store/meta.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { connectedCoordinators } from '../../store/processes/coordinators.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { settingsFrom } from '../projects/project-record.ts'
import { noSuchAgentSession, roleAgentSession } from './agent-session-record.ts'

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

/**
 * Whose call it is: the agent session that a session token stands for, or, without one, the session of the agent whose bearer
 * it is (AS1). Also one that has ended, because two calls have answers for it (AS8). No agent gets at another's (SE3).
 */
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

/** Lists agent sessions, newest first, page by page: what lives now, and why the rest ended. */
export const listAgentSessions = defineQuery({
  name: 'list-agent-sessions',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & AgentSessionsFilter): Promise<Page<AgentSession>> =>
    cutPage(await agentSessionsPage(reader, filter, pageParams({ limit, cursor })), limit),
})

/** All live agent sessions, a page at a time: for the sweeper, when it has to move their deadlines. */
export const listLiveAgentSessions = defineQuery({
  name: 'list-live-agent-sessions',
  run: (reader, { after, limit }: { after: LiveKey; limit: number }): Promise<(DueAgentSession & LiveKey)[]> =>
    liveAfter(reader, after, limit),
})

/** Of each kind, in one look. */
export const dueAtOnce = 100

interface Due {
  readonly agentSessions: readonly DueAgentSession[]
  /** AS9: conversations that an ended session has left open. */
  readonly leftOpen: readonly { readonly conversationKey: string; readonly agentSessionId: string }[]
}

/** Nearly always. */
const nothing: Due = { agentSessions: [], leftOpen: [] }

/** What the sweeper has to look at now: a bounded number of each, the oldest first. Costs the same however many have ended. */
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

/** Until when agents could be heard, before this server was started; undefined when none ever was live. */
export const findLastSweep = defineQuery({
  name: 'find-last-sweep',
  run: async (reader): Promise<Instant | undefined> =>
    (await reader.first(selectMeta, { key: 'agent_sessions_swept_at' }))?.value,
})

/** In one read. */
export const pairsAtOnce = 200

/** The pairs that may need a process: of a project, of an agent, or all of them, a page at a time. */
export const findPairsWithWork = defineQuery({
  name: 'find-pairs-with-work',
  run: async (reader, { after, ...filter }: PairsFilter & { after?: Pair | undefined }, { now }): Promise<Pair[]> => {
    // Nobody could start anything.
    if ((await connectedCoordinators(reader)).length === 0) return []
    const openedAfter = later(now, -pendingPurposeLifetimeMs)
    return pairsWithWork(reader, filter, after, { openedAfter, limit: pairsAtOnce })
  },
})
