/**
 * Queries about agent sessions, and their forms for decisions and readers. Written under the lock
 * of their project's stream.
 */
import { sql } from 'kysely'
import type {
  AgentSession as DomainAgentSession,
  EndReason,
  LiveAgentSession,
} from '../../domain/agent-sessions/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import type { AgentSession } from '../../protocol/agent-sessions/agent-session.ts'
import type { AgentCaller } from '../conversations/unread.ts'
import { columns, fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { maxCounted, unreadIn } from './work-at-hand.ts'

export type AgentSessionRow = Tables['agent_sessions']

export interface Pair {
  readonly agentId: string
  readonly projectId: string
}

/** An agent in a project, and which of its processes there: the common ones, or a thread's own. */
export interface Post extends Pair {
  /** The key of a thread; empty: the common processes. */
  readonly lane: string
}

export const postOf = ({ agentId, projectId, lane }: Post): Post => ({ agentId, projectId, lane })

/** A literal in the query: a partial index is not used for a parameter. */
export const ended = sql.lit<AgentSessionRow['state']>('ended')

/** AS4: there is at most one. */
export const selectLiveAgentSession = statement<
  Post & { purpose: Tables['agent_sessions']['purpose'] }
>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('purpose', '=', p.purpose)
    .where('lane', '=', p.lane)
    .where('state', '<>', ended),
)

const selectLiveOfPair = statement<Pair>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('state', '<>', ended)
    .orderBy('purpose')
    .orderBy('lane'),
)

/** AS4: at most one of each purpose. */
const selectLiveOfPost = statement<Post>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('lane', '=', p.lane)
    .where('state', '<>', ended)
    .orderBy('purpose'),
)

/** `limit` is enough to see that there are several. */
const selectLiveOfAgent = statement<{ agentId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('state', '<>', ended)
    .orderBy('project_id')
    .orderBy('purpose')
    .orderBy('lane')
    .limit(p.limit),
)

const selectLiveOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .where('state', '<>', ended)
    .orderBy('id'),
)

export const selectNewestOfAgent = statement<{ agentId: string }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Another live agent session in the same work session. */
export const selectCompanion = statement<{ workSessionId: string; agentSessionId: string }>()(
  (db, p) =>
    db
      .selectFrom('agent_sessions')
      .select('id')
      .where('work_session_id', '=', p.workSessionId)
      .where('state', '<>', ended)
      .where('id', '<>', p.agentSessionId)
      .orderBy('id')
      .limit(1),
)

export function agentSessionFrom(row: AgentSessionRow): DomainAgentSession {
  const lease = {
    ...fields(
      row,
      'id',
      'agent_id',
      'project_id',
      'lane',
      'purpose',
      'launch_id',
      'work_session_id',
      'created_at',
    ),
    ...fields(row, 'last_activity_at', 'last_answer_at', 'expires_at', 'suspected_at'),
  }
  if (row.state === 'active') return { ...lease, state: row.state }
  const terminatingAt = row.terminating_at ?? row.created_at
  if (row.state === 'terminating') return { ...lease, state: row.state, terminatingAt }
  const endReason = (row.end_reason ?? 'expired') as EndReason
  return {
    ...lease,
    state: row.state,
    terminatingAt,
    endedAt: row.ended_at ?? terminatingAt,
    endReason,
  }
}

export const changesOf = (agentSession: DomainAgentSession) => ({
  ...columns(
    agentSession,
    'id',
    'state',
    'work_session_id',
    'last_activity_at',
    'last_answer_at',
    'expires_at',
    'suspected_at',
  ),
  terminating_at: agentSession.state === 'active' ? null : agentSession.terminatingAt,
  ended_at: agentSession.state === 'ended' ? agentSession.endedAt : null,
  end_reason: agentSession.state === 'ended' ? agentSession.endReason : null,
})

/** AS6: touches no index. */
export const activityOf = (agentSession: DomainAgentSession) =>
  columns(agentSession, 'id', 'last_activity_at', 'last_answer_at')

export const agentSessionOf = (agentSession: DomainAgentSession): AgentSession => ({
  ...fields(
    agentSession,
    'id',
    'agentId',
    'projectId',
    'purpose',
    'state',
    'launchId',
    'workSessionId',
    'createdAt',
  ),
  ...fields(agentSession, 'lastActivityAt', 'expiresAt'),
  ...(agentSession.lane !== '' && { conversationKey: agentSession.lane }),
  endedAt: agentSession.state === 'ended' ? agentSession.endedAt : null,
  endReason: agentSession.state === 'ended' ? agentSession.endReason : null,
})

/** In all its lanes. */
export const liveOfPair = async (reader: Reader, pair: Pair): Promise<LiveAgentSession[]> =>
  living(await reader.all(selectLiveOfPair, pair))

export const liveOfPost = async (reader: Reader, post: Post): Promise<LiveAgentSession[]> =>
  living(await reader.all(selectLiveOfPost, postOf(post)))

export const liveOfAgent = async (
  reader: Reader,
  agentId: string,
  limit: number,
): Promise<LiveAgentSession[]> => living(await reader.all(selectLiveOfAgent, { agentId, limit }))

export const liveOfProject = async (
  reader: Reader,
  projectId: string,
): Promise<LiveAgentSession[]> => living(await reader.all(selectLiveOfProject, { projectId }))

const living = (rows: readonly AgentSessionRow[]): LiveAgentSession[] =>
  rows.map(agentSessionFrom).filter((each) => each.state !== 'ended')

/** The agent sessions of a launch: at most one live, and earlier ones. */
export const selectNewestOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export async function newestOfLaunch(
  reader: Reader,
  launchId: string,
): Promise<DomainAgentSession | undefined> {
  const row = await reader.first(selectNewestOfLaunch, { launchId })
  return row && agentSessionFrom(row)
}

export interface AgentSessionsFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
  readonly state?: AgentSession['state'] | undefined
}

export async function agentSessionsPage(
  reader: Reader,
  { projectId, agentId, state }: AgentSessionsFilter,
  params: PageParams,
): Promise<AgentSession[]> {
  const rows = await reader.query<AgentSessionRow>((db) => {
    let found = db.selectFrom('agent_sessions').selectAll()
    if (projectId !== undefined) found = found.where('project_id', '=', projectId)
    if (agentId !== undefined) found = found.where('agent_id', '=', agentId)
    if (state !== undefined) found = found.where('state', '=', state)
    // Added so that the partial indexes are used: few live among many ended ones.
    if (state !== undefined && state !== 'ended') found = found.where('state', '<>', ended)
    return pageOf(found, params, 'created_at', 'id')
  })
  return rows.map((row) => agentSessionOf(agentSessionFrom(row)))
}

// The state of an agent session: its row and what its calls depend on, each in one statement,
// because every call of an agent needs them.

export interface AgentSessionState extends AgentSessionRow {
  /** null when the project was deleted. */
  readonly project_settings: string | null
  /** null when the agent was deleted. */
  readonly hold_seconds: number | null
  /** null when the agent is no longer assigned to the project. */
  readonly assigned_at: Instant | null
  /** The conversation that a pulling agent holds; null before its first. */
  readonly bound_key: string | null
}

const standing = (db: Parameters<QueryBuilder<unknown>>[0]) =>
  db
    .selectFrom('agent_sessions')
    .leftJoin('projects', 'projects.id', 'agent_sessions.project_id')
    .leftJoin('agents', 'agents.id', 'agent_sessions.agent_id')
    .leftJoin('assignments', (join) =>
      join
        .onRef('assignments.project_id', '=', 'agent_sessions.project_id')
        .onRef('assignments.agent_id', '=', 'agent_sessions.agent_id'),
    )
    .leftJoin('contexts', 'contexts.id', 'agent_sessions.context_id')
    .selectAll('agent_sessions')
    .select('contexts.conversation_key as bound_key')
    .select([
      'projects.settings as project_settings',
      'agents.hold_seconds',
      'assignments.created_at as assigned_at',
    ])

export const selectAgentSessionState = statement<{ id: string }>()((db, p) =>
  standing(db).where('agent_sessions.id', '=', p.id),
)

export const selectAgentSessionStateByToken = statement<{ tokenHash: string }>()((db, p) =>
  standing(db).where('agent_sessions.token_hash', '=', p.tokenHash),
)

/** `limit` is enough to see that there are several. */
export const selectLiveAgentSessionStates = statement<{ agentId: string; limit: number }>()(
  (db, p) =>
    standing(db)
      .where('agent_sessions.agent_id', '=', p.agentId)
      .where('agent_sessions.state', '<>', ended)
      .orderBy('agent_sessions.project_id')
      .orderBy('agent_sessions.purpose')
      .orderBy('agent_sessions.lane')
      .limit(p.limit),
)

export interface ChatState {
  readonly unread: number
  /** The messages given to this agent session and not answered. */
  readonly held: number
  /** The summary of its conversation; null when there is none yet. */
  readonly summary: string | null
  readonly summary_through: number | null
  readonly kept_after: number | null
  readonly unsummarised_chars: number | null
  readonly approval_id: number | null
  readonly decided_at: Instant | null
}

const count = sql<number>`count(*)`.as('count')

interface ChatOfSession {
  readonly lane: string
  readonly key: string
}

const selectChatStanding = statement<AgentCaller & ChatOfSession & { limit: number }>()((db, p) => {
  const unread = unreadIn(db, p).limit(p.limit)
  const decided = db
    .selectFrom('human_approvals')
    .where('asked_by_agent_session_id', '=', p.agentSessionId)
    .limit(1)
  // AP8: requested in chat by this agent in any of its sessions. A literal in the query, so that
  // its index is used.
  const awaited = db
    .selectFrom('human_approvals')
    .where('project_id', '=', p.projectId)
    .where('leader_id', '=', p.agentId)
    .where('status', '=', sql.lit<Tables['human_approvals']['status']>('pending'))
    .where('session_id', 'is', null)
    .where('task_id', 'is', null)
    .where('asked_by_agent_session_id', 'is not', null)
    .where(
      sql<string>`coalesce(
        (select lane from agent_sessions where id = asked_by_agent_session_id), '')`,
      '=',
      p.lane,
    )
    .limit(1)
  return db
    .selectFrom(db.selectNoFrom((eb) => eb.lit(1).as('always')).as('once'))
    .leftJoin('conversations', (join) => join.on('conversations.key', '=', p.key))
    .select([
      'conversations.summary',
      'conversations.summary_through',
      'conversations.kept_after',
      'conversations.unsummarised_chars',
    ])
    .select((eb) => [
      eb.selectFrom(unread.as('few')).select(count).as('unread'),
      eb
        .selectFrom(
          db
            .selectFrom('turns')
            .innerJoin('unread_messages', 'unread_messages.turn_id', 'turns.id')
            .select('unread_messages.seq')
            .where('turns.agent_session_id', '=', p.agentSessionId)
            .where('turns.state', '=', sql.lit<Tables['turns']['state']>('running'))
            .limit(p.limit)
            .as('few'),
        )
        .select(count)
        .as('held'),
      awaited.select('id').orderBy('id').as('approval_id'),
      decided
        .select('resolved_at')
        .where('resolved_at', 'is not', null)
        .orderBy('resolved_at', 'desc')
        .as('decided_at'),
    ])
    .$castTo<ChatState>()
})

/**
 * The pending work in the chat of an agent session; `key`: its conversation with people.
 */
export async function chatState(
  reader: Reader,
  { agentId, projectId, agentSessionId }: AgentCaller,
  { lane, key }: ChatOfSession,
) {
  const found = await reader.first(selectChatStanding, {
    agentId,
    projectId,
    agentSessionId,
    lane,
    key,
    limit: maxCounted,
  })
  if (!found) throw new Error('A statement that always gives one row gave none')
  return found
}
