/** User sessions as rows. Written behind the lock of their own stream, but for when somebody was last connected. */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type UserSessionRow = Tables['user_sessions']

/** Said in the query, so that the index of those that live is used. */
const active = sql.lit<UserSessionRow['state']>('ACTIVE')

/** What changes of one that is there. */
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

/** US3: somebody is connected, or was until then. */
/** Somebody has gone from one node: whoever was seen on another since then is still there. */
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

/** US3: those that nobody was connected to for longest come first. */
export const selectDetached = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('user_sessions')
    .select(['id', 'project_id', 'attached_until'])
    .where('state', '=', active)
    .where('attached_until', '<=', p.until)
    .orderBy('attached_until')
    .limit(p.limit),
)

/** Whose project was deleted. */
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
  /** null: everybody's. */
  readonly accountId: string | null
  /** Those that live, when left out. */
  readonly state?: UserSessionRow['state'] | undefined
}

/** The newest first; those that are terminated have left the list (US4), unless they are asked for. */
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
