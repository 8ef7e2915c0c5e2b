/**
 * Queries about turns, written under the lock of the conversation or, in a role, of the user
 * session. Few are open.
 */

import { sql } from 'kysely'
import { rankOf } from '../../domain/conversations/messages.ts'
import type { Instant } from '../../domain/instant.ts'
import { type StreamName, turnsStream, userSessionStream } from '../../domain/stream-name.ts'
import { joined, type TurnLife, withdrawn } from '../../domain/turns/lifecycle.ts'
import type { Turn } from '../../protocol/consoles/user-session.ts'
import { type Pair, type Post, postOf } from '../agent-sessions/agent-sessions.ts'
import { fields, jsonIn, noticeFrom } from '../fields.ts'
import { type NewRow, newRow, pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type TurnRow = Tables['turns']
export type RoleTurnRow = TurnRow & {
  readonly user_session_id: string
  readonly role_agent_id: string
  readonly role: string
}

export const isOfRole = (row: TurnRow): row is RoleTurnRow => row.user_session_id !== null

/** Literals in the query, so that the partial indexes are used. */
export const open = [sql.lit<TurnRow['state']>('queued'), sql.lit<TurnRow['state']>('running')]
export const running = sql.lit<TurnRow['state']>('running')
export const queued = sql.lit<TurnRow['state']>('queued')

export const turnLife = ({ state, cancel_ordered_at }: TurnRow): TurnLife => ({
  state,
  cancelOrdered: cancel_ordered_at !== null,
})

export const turnOf = (row: TurnRow, text = row.answer): Turn => ({
  ...fields(row, 'state', 'stop_reason', 'error', 'created_at', 'started_at', 'ended_at'),
  messageId: row.id,
  seq: row.ended_seq,
  role: row.role ?? '',
  content: JSON.parse(row.content),
  text,
  cut: row.cut === 1,
  notice: noticeFrom(row.notice),
  usage: jsonIn(row.usage),
  limitedUntil: null,
  by: row.asked_by,
})

export const newTurnRow = (given: NewRow<'turns'>): TurnRow => newRow('turns', given)

/** Open turns of an agent in a role that are not parked, in the order of requests. */
export const selectOpenTurns = statement<{ roleAgentId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('role_agent_id', '=', p.roleAgentId)
    .where('state', 'in', open)
    .where('not_before', 'is', null)
    // Turns that were announced earlier or parked have no number or an old one: they come first on
    // both engines.
    .orderBy(({ fn, lit }) => fn.coalesce('asked_seq', lit(0))),
)

/** AG6: the turn that waits for its agent's limit; at most one in each context. */
export const selectParked = statement<{
  agentId: string
  projectId: string
  key: string
  originKey: string
}>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('conversation_key', '=', p.key)
    .where('origin_key', '=', p.originKey)
    .where('state', '=', queued)
    .where('not_before', 'is not', null)
    .limit(1),
)

export const selectTurnsOver = statement<{
  userSessionId: string
  before: number
  limit: number
}>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('user_session_id', '=', p.userSessionId)
    .where('ended_seq', 'is not', null)
    .where('ended_seq', '<', p.before)
    .orderBy('ended_seq', 'desc')
    .limit(p.limit),
)

export const selectRunningOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .where('state', '=', running)
    .orderBy('id'),
)

export const selectRunningOfSession = statement<{ agentSessionId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('agent_session_id', '=', p.agentSessionId)
    .where('state', '=', running)
    .orderBy('id'),
)

/** How the last turn of a context ended. */
export const selectLastEnded = statement<{ contextId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['error', 'notice'])
    .where('context_id', '=', p.contextId)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit(1),
)

/** Running turns of a conversation, of which there are few. */
export const selectRunningIn = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('state', '=', running)
    .where('state', 'in', open)
    .orderBy('id', 'desc'),
)

const selectRunningOfUserSession = statement<{ userSessionId: string }>()((db, p) =>
  db
    .selectFrom('role_agents')
    .innerJoin('turns', 'turns.role_agent_id', 'role_agents.id')
    .select('turns.started_seq')
    .where('role_agents.user_session_id', '=', p.userSessionId)
    .where('turns.state', 'in', open)
    .where('turns.state', '=', running),
)

/** The number at which the oldest running turn of the stream began. */
export async function firstRunningSeq(
  reader: Reader,
  of: { readonly key: string } | { readonly userSessionId: string },
): Promise<number | undefined> {
  const rows =
    'key' in of
      ? await reader.all(selectRunningIn, of)
      : await reader.all(selectRunningOfUserSession, of)
  const begun = rows.flatMap(({ started_seq }) => started_seq ?? [])
  return begun.length === 0 ? undefined : Math.min(...begun)
}

export const selectOpenIn = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('state', 'in', open)
    .orderBy('created_at')
    .orderBy('id')
    .limit(p.limit),
)

/** The queued turn that a new message for this agent joins. */
export const selectQueuedChat = statement<Pair & { key: string; originKey: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('state', '=', queued)
    .where('conversation_key', '=', p.key)
    .where('origin_key', '=', p.originKey)
    .where('about', '=', sql.lit<TurnRow['about']>('chat'))
    .where('not_before', 'is', null)
    .where('retry_of', 'is', null)
    .orderBy('created_at')
    .limit(1),
)

/**
 * Whether another conversation of the post has work, which keeps the chat open when a panel closes.
 */
export const selectOpenElsewhere = statement<Post & { key: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('lane', '=', p.lane)
    .where('not_before', 'is', null)
    .where('about', '=', sql.lit<TurnRow['about']>('chat'))
    .where('state', 'in', open)
    .where('conversation_key', '<>', p.key)
    .limit(1),
)

/** A queued chat of a post, with the priority of its most urgent message. */
export interface QueuedChat {
  readonly id: string
  readonly conversationKey: string
  readonly originKey: string
  readonly rank: number
  readonly createdAt: Instant
  readonly row: Pick<TurnRow, 'project_id' | 'conversation_key' | 'origin_key' | 'begins_beside'>
}

const selectQueued = statement<Post & { limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .leftJoin('unread_messages', 'unread_messages.turn_id', 'turns.id')
    .select([
      'turns.id',
      'turns.conversation_key',
      'turns.origin_key',
      'turns.created_at',
      'turns.begins_beside',
    ])
    .select(
      sql<number>`coalesce(max(unread_messages.priority_rank), ${sql.lit(rankOf('normal'))})`.as(
        'rank',
      ),
    )
    .where('turns.agent_id', '=', p.agentId)
    .where('turns.project_id', '=', p.projectId)
    .where('turns.lane', '=', p.lane)
    .where('turns.state', '=', queued)
    .where('turns.about', '=', sql.lit<TurnRow['about']>('chat'))
    .where('turns.not_before', 'is', null)
    .where('turns.paused', 'is', null)
    .groupBy([
      'turns.id',
      'turns.conversation_key',
      'turns.origin_key',
      'turns.created_at',
      'turns.begins_beside',
      'turns.retry_of',
    ])
    .orderBy('rank', 'desc')
    .orderBy('turns.created_at')
    // Repeated turns before those that waited behind them.
    .orderBy(sql`case when turns.retry_of is null then 1 else 0 end`)
    .orderBy('turns.id')
    .limit(p.limit),
)

const maxConsidered = 100

/** Most urgent first, then oldest. */
export async function queuedChats(reader: Reader, post: Post): Promise<QueuedChat[]> {
  const { projectId } = post
  const rows = await reader.all(selectQueued, { ...postOf(post), limit: maxConsidered })
  return rows.map((row) => ({
    ...fields(row, 'id', 'conversation_key', 'origin_key', 'created_at'),
    rank: Number(row.rank),
    row: { ...row, project_id: projectId },
  }))
}

/** The title of the newest task that is worked on in a conversation. */
export const selectTaskTitleIn = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .innerJoin('tasks', 'tasks.id', 'turns.task_id')
    .select('tasks.title')
    .where('turns.conversation_key', '=', p.key)
    .orderBy('turns.created_at', 'desc')
    .limit(1),
)

/**
 * What the newest turns of a conversation changed and used, without those that a rewind took back.
 */
export const selectFiguresIn = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .leftJoin('turn_files', 'turn_files.turn_id', 'turns.id')
    .select(['turns.usage', 'turn_files.changes'])
    .where('turns.conversation_key', '=', p.key)
    .where('turn_files.rewound_by', 'is', null)
    .orderBy('turns.created_at', 'desc')
    .limit(p.limit),
)

/** The newest turn that began, whatever became of it. */
export const selectLastBegun = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['state', 'stop_reason', 'role_agent_id'])
    .where('conversation_key', '=', p.key)
    .where('state', '<>', queued)
    .where((eb) =>
      eb.or([
        eb('stop_reason', 'is', null),
        eb('stop_reason', 'not in', [sql.lit(withdrawn), sql.lit(joined)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

export const selectPrimerIn = statement<{ contextId: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select('primer')
    .where('context_id', '=', p.contextId)
    .where('primer', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** What the previous turn of the same context used. */
export const selectUsageBefore = statement<{ contextId: string; id: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select('usage')
    .where('context_id', '=', p.contextId)
    .where('id', '<>', p.id)
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit(1),
)

export const selectAnyIn = statement<{ key: string }>()((db, p) =>
  db.selectFrom('turns').select('id').where('conversation_key', '=', p.key).limit(1),
)

/** Turns of a conversation, newest first, after the last one seen. */
export const selectTurnsBefore = statement<{
  key: string
  createdAt: Instant
  id: string
  limit: number
}>()((db, p) =>
  pageOf(
    db.selectFrom('turns').selectAll().where('conversation_key', '=', p.key),
    p,
    'created_at',
    'id',
  ),
)

/** Deletes the turns of a conversation. A running one ends by itself without a report. */
export const deleteTurnsOf = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('turns').where('conversation_key', '=', p.key).where('state', '<>', running),
)

/** Deletes their items; before the turns. */
export const deleteTurnItemsOf = statement<{ key: string }>()((db, p) =>
  db
    .deleteFrom('turn_items')
    .where('turn_id', 'in', (eb) =>
      eb.selectFrom('turns').select('turns.id').where('turns.conversation_key', '=', p.key),
    ),
)

/**
 * Whether the turn is pushed to an agent. A pulling agent's turn has an empty prompt, and its
 * coordinator is not involved.
 */
export const isPushed = ({ content }: Pick<TurnRow, 'content'>): boolean => content !== '[]'

/**
 * The stream of a turn's events: the user session's for a role, otherwise the conversation's turns
 * stream.
 */
export const turnStream = (
  row: Pick<TurnRow, 'user_session_id' | 'conversation_key'>,
): StreamName =>
  row.user_session_id === null
    ? turnsStream(row.conversation_key)
    : userSessionStream(row.user_session_id)

/** The `role` field of relay events. Chats have no roles and use the agent's id. */
export const relayRole = (row: Pick<TurnRow, 'role' | 'agent_id'>): string =>
  row.role ?? row.agent_id
