/** The register of worktrees as rows, and as readers see them (WT). Written behind the lock of their project's stream. */
import type { Instant } from '../../domain/instant.ts'
import type { SetUp, Worktree } from '../../protocol/worktrees/worktree.ts'
import { noticeFrom } from '../notices.ts'
import type { PageParams } from '../page-cursor.ts'
import { deleteBy, insertRow, pageOf, putRow, rowsOf, selectBy, selectColumns, updateRow } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type WorktreeRow = Tables['worktrees']

export const insertWorktree = insertRow('worktrees')

/** Everything that may change while it is there. */
export const updateWorktree = updateRow('worktrees', 'removed_at', 'removed_by')

export const updateRemoved = statement<{ id: string; removedAt: Instant; removedBy: string }>()((db, p) =>
  db.updateTable('worktrees').set({ removed_at: p.removedAt, removed_by: p.removedBy }).where('id', '=', p.id),
)

export const selectWorktree = selectBy('worktrees', 'id')

/** The current worktree at this path. */
export const selectWorktreeAt = statement<{ coordinatorId: string; top: string }>()((db, p) =>
  rowsOf(db, 'worktrees', { coordinator_id: p.coordinatorId, top: p.top, removed_at: null }),
)

/** Where a role of a user session works; the newest, should there be several. */
export const selectOfRole = statement<{ userSessionId: string; role: string }>()((db, p) =>
  rowsOf(db, 'worktrees', { user_session_id: p.userSessionId, role: p.role, removed_at: null })
    .orderBy('created_at', 'desc')
    .limit(1),
)

/** Where a conversation works; the newest, should there be several. */
export const selectOfConversation = statement<{ key: string }>()((db, p) =>
  rowsOf(db, 'worktrees', { conversation_key: p.key, removed_at: null }).orderBy('created_at', 'desc').limit(1),
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
  page: PageParams,
): Promise<WorktreeRow[]> =>
  reader.query<WorktreeRow>((db) => {
    const values = { project_id: projectId, user_session_id: userSessionId, role, removed_at: removed ? undefined : null }
    const rows = pageOf(rowsOf(db, 'worktrees', values), page, 'created_at', 'id')
    return accountId === null ? rows : rows.where('account_id', 'in', ['', accountId])
  })

/** The setup of new worktrees of a project (WT5). Written under the lock of the project's stream. */
export const keepSetUp = putRow('set_ups')

export const deleteSetUp = deleteBy('set_ups', { projectId: 'project_id' })

const selectSetUp = selectColumns('set_ups', { projectId: 'project_id' }, 'command', 'copy')

/** null: the project names nothing. */
export async function setUpOf(reader: Reader, projectId: string): Promise<SetUp | null> {
  const row = await reader.first(selectSetUp, { projectId })
  return row ? { command: JSON.parse(row.command), copy: JSON.parse(row.copy) } : null
}
