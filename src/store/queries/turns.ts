/** Turns as rows (RL6). Written behind the lock of their user session's stream. What runs and waits is few; what is over stays. */
import { sql } from 'kysely'
import type { TurnLife } from '../../domain/turn/lifecycle.ts'
import type { RunningTurn, SettledPermission } from '../../protocol/link-turns.ts'
import type { Turn } from '../../protocol/user-session.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import { selectRunningChatTurnsOn } from './chat-turns.ts'

export type TurnRow = Tables['turns']

/** Said in the query, so that the index of those that are open is used. */
const open = [sql.lit<TurnRow['state']>('queued'), sql.lit<TurnRow['state']>('running')]
const running = sql.lit<TurnRow['state']>('running')
const ended = sql.lit<Tables['launches']['state']>('ended')

export const turnLife = ({ state, cancel_ordered_at }: TurnRow): TurnLife => ({
  state,
  cancelOrdered: cancel_ordered_at !== null,
})

export const turnOf = (row: TurnRow, text = row.answer): Turn => ({
  messageId: row.id,
  seq: row.ended_seq,
  role: row.role,
  state: row.state,
  content: JSON.parse(row.content),
  text,
  cut: row.cut === 1,
  stopReason: row.stop_reason,
  error: row.error,
  limitedUntil: null,
  by: row.asked_by,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
})

/** What changes of one that is there. */
const changing = (p: TurnRow) => ({
  state: p.state,
  answer: p.answer,
  cut: p.cut,
  stop_reason: p.stop_reason,
  error: p.error,
  started_seq: p.started_seq,
  ended_seq: p.ended_seq,
  started_at: p.started_at,
  ended_at: p.ended_at,
  cancel_ordered_at: p.cancel_ordered_at,
  cancel_request_id: p.cancel_request_id,
})

export const insertTurn = statement<TurnRow>()((db, p) =>
  db.insertInto('turns').values({
    id: p.id,
    user_session_id: p.user_session_id,
    role_agent_id: p.role_agent_id,
    role: p.role,
    launch_id: p.launch_id,
    content: p.content,
    asked_by: p.asked_by,
    asked_seq: p.asked_seq,
    created_at: p.created_at,
    ...changing(p),
  }),
)

/** Everything that may change. */
export const updateTurn = statement<TurnRow>()((db, p) => db.updateTable('turns').set(changing(p)).where('id', '=', p.id))

export const selectTurn = statement<{ id: string }>()((db, p) => db.selectFrom('turns').selectAll().where('id', '=', p.id))

/** Those of an agent that are not over, in the order in which they were asked for. */
export const selectOpenTurns = statement<{ roleAgentId: string }>()((db, p) =>
  db.selectFrom('turns').selectAll().where('role_agent_id', '=', p.roleAgentId).where('state', 'in', open).orderBy('asked_seq'),
)

/** Those that are over, the newest first. */
export const selectTurnsOver = statement<{ userSessionId: string; before: number; limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .selectAll()
    .where('user_session_id', '=', p.userSessionId)
    .where('ended_seq', 'is not', null)
    .where('ended_seq', '<', p.before)
    .orderBy('ended_seq', 'desc')
    .limit(p.limit),
)

const selectRunningOn = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('turns', 'turns.role_agent_id', 'launches.role_agent_id')
    .select(['turns.id', 'turns.launch_id', 'turns.cancel_ordered_at'])
    .where('launches.coordinator_id', '=', p.coordinatorId)
    .where('launches.state', '<>', ended)
    .where('turns.state', 'in', open)
    .where('turns.state', '=', running)
    .orderBy('turns.id'),
)

/** Of turns in roles and in chats alike. */
const selectSettledOf = statement<{ turnId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(['human_approvals.launch_id', 'human_approvals.ask_id', 'human_approvals.option_id'])
    .where('human_approvals.turn_id', '=', p.turnId)
    .where('human_approvals.outcome', 'in', ['allowed', 'denied', 'expired'])
    .orderBy('human_approvals.id'),
)

export async function runningTurnsOn(reader: Reader, coordinatorId: string): Promise<RunningTurn[]> {
  const inRoles = await reader.all(selectRunningOn, { coordinatorId })
  const inChats = await reader.all(selectRunningChatTurnsOn, { coordinatorId })
  return [...inRoles, ...inChats].map((row) => ({
    launchId: row.launch_id,
    turnId: row.id,
    cancelOrdered: row.cancel_ordered_at !== null,
  }))
}

export async function settledPermissionsOn(reader: Reader, coordinatorId: string): Promise<SettledPermission[]> {
  const settled: SettledPermission[] = []
  for (const { turnId } of await runningTurnsOn(reader, coordinatorId))
    for (const row of await reader.all(selectSettledOf, { turnId }))
      settled.push({ launchId: row.launch_id ?? '', askId: row.ask_id ?? '', optionId: row.option_id })
  return settled
}
