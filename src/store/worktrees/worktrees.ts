/** The register of worktrees as rows, and as readers see them (WT). Written behind the lock of their project's stream. */
import type { Instant } from '../../domain/instant.ts'
import type { SetUp, Worktree } from '../../protocol/worktrees/worktree.ts'
import { noticeFrom } from '../notices.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type WorktreeRow = Tables['worktrees']

/** The columns that an update changes. */
const changing = (p: WorktreeRow) => ({
  role: p.role,
  agent_id: p.agent_id,
  kind: p.kind,
  folder: p.folder,
  branch: p.branch,
  base_branch: p.base_branch,
  note: p.note,
  notice: p.notice,
  set_up: p.set_up,
  last_used_at: p.last_used_at,
})

export const insertWorktree = statement<WorktreeRow>()((db, p) =>
  db.insertInto('worktrees').values({
    id: p.id,
    project_id: p.project_id,
    user_session_id: p.user_session_id,
    account_id: p.account_id,
    coordinator_id: p.coordinator_id,
    top: p.top,
    created_at: p.created_at,
    removed_at: p.removed_at,
    removed_by: p.removed_by,
    conversation_key: p.conversation_key,
    ...changing(p),
  }),
)

/** Everything that may change while it is there. */
export const updateWorktree = statement<WorktreeRow>()((db, p) =>
  db.updateTable('worktrees').set(changing(p)).where('id', '=', p.id),
)

export const updateRemoved = statement<{ id: string; removedAt: Instant; removedBy: string }>()((db, p) =>
  db.updateTable('worktrees').set({ removed_at: p.removedAt, removed_by: p.removedBy }).where('id', '=', p.id),
)

export const selectWorktree = statement<{ id: string }>()((db, p) =>
  db.selectFrom('worktrees').selectAll().where('id', '=', p.id),
)

/** The current worktree at this path. */
export const selectWorktreeAt = statement<{ coordinatorId: string; top: string }>()((db, p) =>
  db
    .selectFrom('worktrees')
    .selectAll()
    .where('coordinator_id', '=', p.coordinatorId)
    .where('top', '=', p.top)
    .where('removed_at', 'is', null),
)

/** Where a role of a user session works; the newest, should there be several. */
export const selectOfRole = statement<{ userSessionId: string; role: string }>()((db, p) =>
  db
    .selectFrom('worktrees')
    .selectAll()
    .where('user_session_id', '=', p.userSessionId)
    .where('role', '=', p.role)
    .where('removed_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** Where a conversation works; the newest, should there be several. */
export const selectOfConversation = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('worktrees')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .where('removed_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** Not used since, with the settings of their projects, those of the lowest ids first behind `after`. */
export const selectUnusedSince = statement<{ until: Instant; after: string; limit: number }>()((db, p) =>
  db
    .selectFrom('worktrees')
    .innerJoin('projects', 'projects.id', 'worktrees.project_id')
    .select(['worktrees.id', 'worktrees.project_id', 'worktrees.last_used_at', 'projects.settings'])
    .where('worktrees.removed_at', 'is', null)
    .where('worktrees.last_used_at', '<=', p.until)
    .where('worktrees.id', '>', p.after)
    .orderBy('worktrees.id')
    .limit(p.limit),
)

export const worktreeOf = (row: WorktreeRow): Worktree => ({
  id: row.id,
  projectId: row.project_id,
  userSessionId: row.user_session_id || null,
  conversation: row.conversation_key,
  role: row.role,
  agentId: row.agent_id,
  coordinatorId: row.coordinator_id,
  kind: row.kind,
  folder: row.folder,
  branch: row.branch,
  baseBranch: row.base_branch,
  note: row.note,
  notice: noticeFrom(row.notice),
  setUp: row.set_up === null ? null : JSON.parse(row.set_up),
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
  removedAt: row.removed_at,
})

export interface WorktreesFilter {
  readonly projectId: string
  readonly userSessionId?: string | undefined
  readonly role?: string | undefined
  /** Also those that are removed. */
  readonly removed: boolean
  /** null: everybody's. */
  readonly accountId: string | null
}

/** The newest first. */
export const worktreesPage = (
  reader: Reader,
  { projectId, userSessionId, role, removed, accountId }: WorktreesFilter,
  { createdAt, id, limit }: PageParams,
): Promise<WorktreeRow[]> =>
  reader.query<WorktreeRow>((db) => {
    let page = db
      .selectFrom('worktrees')
      .selectAll()
      .where('project_id', '=', projectId)
      .where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(createdAt, id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
    if (userSessionId !== undefined) page = page.where('user_session_id', '=', userSessionId)
    if (role !== undefined) page = page.where('role', '=', role)
    if (!removed) page = page.where('removed_at', 'is', null)
    if (accountId !== null) page = page.where('account_id', 'in', ['', accountId])
    return page
  })

/** The setup of new worktrees of a project (WT5). Written under the lock of the project's stream. */
export const keepSetUp = statement<Tables['set_ups']>()((db, p) =>
  db
    .insertInto('set_ups')
    .values({ project_id: p.project_id, command: p.command, copy: p.copy })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ command: p.command, copy: p.copy })),
)

export const deleteSetUp = statement<{ projectId: string }>()((db, p) =>
  db.deleteFrom('set_ups').where('project_id', '=', p.projectId),
)

const selectSetUp = statement<{ projectId: string }>()((db, p) =>
  db.selectFrom('set_ups').select(['command', 'copy']).where('project_id', '=', p.projectId),
)

/** null: the project names nothing. */
export async function setUpOf(reader: Reader, projectId: string): Promise<SetUp | null> {
  const row = await reader.first(selectSetUp, { projectId })
  return row ? { command: JSON.parse(row.command), copy: JSON.parse(row.copy) } : null
}
