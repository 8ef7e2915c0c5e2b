/**
 * The state of an agent session: its row and what its calls depend on, each in one statement, because every call of an agent needs
 * them.
 */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Receiver } from '../conversations/unread.ts'
import type { Tables } from '../schema/tables.ts'
import { type QueryBuilder, statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { type AgentSessionRow, ended } from './agent-sessions.ts'
import { maxCounted } from './work-at-hand.ts'

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
    .select(['projects.settings as project_settings', 'agents.hold_seconds', 'assignments.created_at as assigned_at'])

export const selectAgentSessionState = statement<{ id: string }>()((db, p) => standing(db).where('agent_sessions.id', '=', p.id))

export const selectAgentSessionStateByToken = statement<{ tokenHash: string }>()((db, p) =>
  standing(db).where('agent_sessions.token_hash', '=', p.tokenHash),
)

/** At most two in each project; `limit` is enough to see that there are several. */
export const selectLiveAgentSessionStates = statement<{ agentId: string; limit: number }>()((db, p) =>
  standing(db)
    .where('agent_sessions.agent_id', '=', p.agentId)
    .where('agent_sessions.state', '<>', ended)
    .orderBy('agent_sessions.project_id')
    .orderBy('agent_sessions.purpose')
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

const selectChatStanding = statement<Receiver & { key: string; limit: number }>()((db, p) => {
  const unread = db
    .selectFrom('unread_messages')
    .select('seq')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .limit(p.limit)
  const decided = db.selectFrom('human_approvals').where('asked_by_agent_session_id', '=', p.agentSessionId).limit(1)
  // AP8: requested in chat by this agent in any of its sessions. A literal in the query, so that its index is used.
  const awaited = db
    .selectFrom('human_approvals')
    .where('project_id', '=', p.projectId)
    .where('leader_id', '=', p.agentId)
    .where('status', '=', sql.lit<Tables['human_approvals']['status']>('pending'))
    .where('session_id', 'is', null)
    .where('task_id', 'is', null)
    .where('asked_by_agent_session_id', 'is not', null)
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
      decided.select('resolved_at').where('resolved_at', 'is not', null).orderBy('resolved_at', 'desc').as('decided_at'),
    ])
    .$castTo<ChatState>()
})

/** The pending work in the chat of an agent session; `key`: its conversation with the people of the project. */
export async function chatState(reader: Reader, { agentId, projectId, agentSessionId }: Receiver, key: string) {
  const found = await reader.first(selectChatStanding, { agentId, projectId, agentSessionId, key, limit: maxCounted })
  if (!found) throw new Error('A statement that always gives one row gave none')
  return found
}
