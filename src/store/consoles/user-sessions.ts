/** Queries about user sessions. Written under the lock of their own stream, except for the time of the last connection. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type UserSessionRow = Tables['user_sessions']

/** A literal in the query, so that the partial index is used. */
const active = sql.lit<UserSessionRow['state']>('ACTIVE')

/** The columns that an update changes. */
const changing = (p: Ending) => ({
  state: p.state,
  terminated_at: p.terminated_at,
  terminate_reason: p.terminate_reason,
  terminate_request_id: p.terminate_request_id,
  agents_terminated: p.agents_terminated,
  closed_seq: p.closed_seq,
})

export const insertUserSession = statement<UserSessionRow>()((db, p) =>
  db.insertInto('user_sessions').values({
    id: p.id,
    project_id: p.project_id,
    account_id: p.account_id,
    created_at: p.created_at,
    last_active_at: p.last_active_at,
    attached_until: p.attached_until,
    ...changing(p),
  }),
)

export const selectUserSession = statement<{ id: string }>()((db, p) =>
  db.selectFrom('user_sessions').selectAll().where('id', '=', p.id),
)

type Ending = Pick<
  UserSessionRow,
  'id' | 'state' | 'terminated_at' | 'terminate_reason' | 'terminate_request_id' | 'agents_terminated' | 'closed_seq'
>

export const updateEnding = statement<Ending>()((db, p) =>
  db.updateTable('user_sessions').set(changing(p)).where('id', '=', p.id),
)

export const updateLastActive = statement<{ id: string; now: Instant }>()((db, p) =>
  db.updateTable('user_sessions').set({ last_active_at: p.now }).where('id', '=', p.id),
)

/** US3: records that the last client of a node disconnected. A later time set by another node stays. */
export const updateDetached = statement<{ id: string; until: Instant; seenUntil: Instant }>()((db, p) =>
  db
    .updateTable('user_sessions')
    .set({ attached_until: p.until })
    .where('id', '=', p.id)
    .where('state', '=', active)
    .where('attached_until', '<=', p.seenUntil),
)

export const updateAttached = statement<{ id: string; until: Instant }>()((db, p) =>
  db.updateTable('user_sessions').set({ attached_until: p.until }).where('id', '=', p.id).where('state', '=', active),
)

/** US3: the longest disconnected first. */
export const selectDetached = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('user_sessions')
    .select(['id', 'project_id', 'attached_until'])
    .where('state', '=', active)
    .where('attached_until', '<=', p.until)
    .orderBy('attached_until')
    .limit(p.limit),
)

/** User sessions whose project was deleted. */
export const selectWithoutProject = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('user_sessions')
    .leftJoin('projects', 'projects.id', 'user_sessions.project_id')
    .select('user_sessions.id')
    .where('user_sessions.state', '=', active)
    .where('projects.id', 'is', null)
    .limit(p.limit),
)

export interface UserSessionsFilter {
  readonly projectId?: string | undefined
  /** null: of all accounts. */
  readonly accountId: string | null
  /** The live ones when left out. */
  readonly state?: UserSessionRow['state'] | undefined
}

/** Newest first; terminated ones are listed only on request (US4). */
export const userSessionsPage = (
  reader: Reader,
  { projectId, accountId, state = 'ACTIVE' }: UserSessionsFilter,
  { createdAt, id, limit }: PageParams,
): Promise<UserSessionRow[]> =>
  reader.query<UserSessionRow>((db) => {
    let page = db
      .selectFrom('user_sessions')
      .selectAll()
      .where('state', '=', sql.lit(state))
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (projectId !== undefined) page = page.where('project_id', '=', projectId)
    if (accountId !== null) page = page.where('account_id', '=', accountId)
    return page
  })
