/**
 * What processes that are spoken to were told of their chats and tasks (CH12), and what they say until it is said whole. Written behind
 * the locks of the project's and the coordinator's stream.
 */
import { type Kysely, sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { maxAnswerChars } from '../../protocol/user-session.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'

export type ChatTurnRow = Tables['chat_turns']

/** Said in the queries, so that the indexes of what lives are used. */
const running = sql.lit<ChatTurnRow['state']>('running')
const ended = sql.lit<Tables['launches']['state']>('ended')
const piecesAtOnce = 500

export const insertChatTurn = statement<ChatTurnRow>()((db, p) =>
  db.insertInto('chat_turns').values({
    id: p.id,
    launch_id: p.launch_id,
    agent_session_id: p.agent_session_id,
    agent_id: p.agent_id,
    project_id: p.project_id,
    about: p.about,
    conversation_key: p.conversation_key,
    through_seq: p.through_seq,
    task_id: p.task_id,
    content: p.content,
    state: p.state,
    error: p.error,
    created_at: p.created_at,
    ended_at: p.ended_at,
    cancel_ordered_at: p.cancel_ordered_at,
  }),
)

export const updateCancelOrdered = statement<{ id: string; now: Instant }>()((db, p) =>
  db.updateTable('chat_turns').set({ cancel_ordered_at: p.now }).where('id', '=', p.id),
)

export const updateChatTurn = statement<Pick<ChatTurnRow, 'id' | 'state' | 'error' | 'ended_at'>>()((db, p) =>
  db.updateTable('chat_turns').set({ state: p.state, error: p.error, ended_at: p.ended_at }).where('id', '=', p.id),
)

export const selectChatTurn = statement<{ id: string }>()((db, p) =>
  db.selectFrom('chat_turns').selectAll().where('id', '=', p.id),
)

export const selectRunningChatTurn = statement<{ launchId: string }>()((db, p) =>
  db.selectFrom('chat_turns').selectAll().where('launch_id', '=', p.launchId).where('state', '=', running),
)

/** The conversations in which these processes are saying something. */
export async function saidBy(reader: Reader, launches: readonly { readonly id: string }[]): Promise<string[]> {
  const keys = new Set<string>()
  for (const { id: launchId } of launches) {
    const key = (await reader.first(selectRunningChatTurn, { launchId }))?.conversation_key
    if (key) keys.add(key)
  }
  return [...keys]
}

/** What is being said in a conversation: of turns that run there are few. */
export const selectSaying = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('chat_turns')
    .select(['id', 'agent_id'])
    .where('state', '=', running)
    .where('conversation_key', '=', p.key)
    .where('about', '=', sql.lit<ChatTurnRow['about']>('chat'))
    .orderBy('id', 'desc')
    .limit(1),
)

/** Whether an agent session was told anything before. */
export const selectAnyChatTurn = statement<{ agentSessionId: string }>()((db, p) =>
  db.selectFrom('chat_turns').select('id').where('agent_session_id', '=', p.agentSessionId).limit(1),
)

export const selectRunningChatTurnsOn = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('chat_turns', 'chat_turns.launch_id', 'launches.id')
    .select(['chat_turns.id', 'chat_turns.launch_id', 'chat_turns.cancel_ordered_at'])
    .where('launches.coordinator_id', '=', p.coordinatorId)
    .where('launches.state', '<>', ended)
    .where('chat_turns.state', '=', running)
    .orderBy('chat_turns.id'),
)

export const insertPiece = statement<Tables['turn_pieces']>()((db, p) =>
  db.insertInto('turn_pieces').values({ turn_id: p.turn_id, n: p.n, said: p.said }),
)

const selectPieces = statement<{ turnId: string; after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_pieces')
    .select(['n', 'said'])
    .where('turn_id', '=', p.turnId)
    .where('n', '>', p.after)
    .orderBy('n')
    .limit(p.limit),
)

export const deletePieces = statement<{ turnId: string }>()((db, p) =>
  db.deleteFrom('turn_pieces').where('turn_id', '=', p.turnId),
)

export async function piecesOf(reader: Reader, turnId: string): Promise<string> {
  let text = ''
  for (let after = 0; text.length < maxAnswerChars; ) {
    const rows = await reader.all(selectPieces, { turnId, after, limit: piecesAtOnce })
    for (const { said } of rows) text += said
    after = rows.at(-1)?.n ?? after
    if (rows.length < piecesAtOnce) break
  }
  return text.slice(0, maxAnswerChars)
}

export const updateReady = statement<{ id: string; readyAt: Instant }>()((db, p) =>
  db.updateTable('launches').set({ ready_at: p.readyAt }).where('id', '=', p.id),
)

export interface SpokenLaunch {
  readonly launchId: string
  readonly agentId: string
  readonly projectId: string
  readonly coordinatorId: string
}

interface SpokenPage {
  /** Left out: of all. */
  readonly projectId?: string | undefined
  /** The last one seen. */
  readonly after: string
  readonly limit: number
}

const spoken = (db: Kysely<Tables>, after: string, limit: number) =>
  db
    .selectFrom('launches')
    .select(['id', 'agent_id', 'project_id', 'coordinator_id'])
    .where('ready_at', 'is not', null)
    .where('state', '<>', ended)
    .where('role_agent_id', 'is', null)
    .where('stop_reason', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)

const selectSpoken = statement<SpokenPage>()((db, p) => spoken(db, p.after, p.limit))
const selectSpokenIn = statement<SpokenPage & { projectId: string }>()((db, p) =>
  spoken(db, p.after, p.limit).where('project_id', '=', p.projectId),
)

/** The processes that can be told something: of a project, or all; in order of their ids. Asked for with every message. */
export async function spokenLaunches(reader: Reader, { projectId, ...page }: SpokenPage): Promise<SpokenLaunch[]> {
  const rows =
    projectId === undefined ? await reader.all(selectSpoken, page) : await reader.all(selectSpokenIn, { ...page, projectId })
  return rows.map((row) => ({
    launchId: row.id,
    agentId: row.agent_id,
    projectId: row.project_id,
    coordinatorId: row.coordinator_id,
  }))
}
