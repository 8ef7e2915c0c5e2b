/**
 * The register of worktrees as rows, and as readers see them (WT). Written behind the lock of their
 * project's stream.
 */
import type { Instant } from '../../domain/instant.ts'
import type { SetUp, Worktree } from '../../protocol/worktrees/worktree.ts'
import { fields, jsonIn, noticeFrom } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type WorktreeRow = Tables['worktrees']

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

/** Makes what a conversation works in, and worked in, its project's. */
export const shareOfConversation = statement<{ key: string }>()((db, p) =>
  db.updateTable('worktrees').set({ account_id: '' }).where('conversation_key', '=', p.key),
)

/**
 * Not used since, with the settings of their projects, those of the lowest ids first behind
 * `after`.
 */
export const selectUnusedSince = statement<{ until: Instant; after: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('worktrees')
      .innerJoin('projects', 'projects.id', 'worktrees.project_id')
      .select([
        'worktrees.id',
        'worktrees.project_id',
        'worktrees.last_used_at',
        'projects.settings',
      ])
      .where('worktrees.removed_at', 'is', null)
      .where('worktrees.last_used_at', '<=', p.until)
      .where('worktrees.id', '>', p.after)
      .orderBy('worktrees.id')
      .limit(p.limit),
)

export const worktreeOf = (row: WorktreeRow): Worktree => ({
  ...fields(
    row,
    'id',
    'project_id',
    'role',
    'agent_id',
    'coordinator_id',
    'kind',
    'folder',
    'branch',
    'base_branch',
    'note',
  ),
  ...fields(row, 'created_at', 'last_used_at', 'removed_at'),
  userSessionId: row.user_session_id || null,
  conversation: row.conversation_key,
  notice: noticeFrom(row.notice),
  setUp: jsonIn(row.set_up),
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

export const worktreesPage = (
  reader: Reader,
  { projectId, userSessionId, role, removed, accountId }: WorktreesFilter,
  page: PageParams,
): Promise<WorktreeRow[]> =>
  reader.query<WorktreeRow>((db) => {
    let found = db.selectFrom('worktrees').selectAll().where('project_id', '=', projectId)
    if (userSessionId !== undefined) found = found.where('user_session_id', '=', userSessionId)
    if (role !== undefined) found = found.where('role', '=', role)
    if (!removed) found = found.where('removed_at', 'is', null)
    if (accountId !== null) found = found.where('account_id', 'in', ['', accountId])
    return pageOf(found, page, 'created_at', 'id')
  })

const selectSetUp = statement<{ projectId: string }>()((db, p) =>
  db.selectFrom('set_ups').select(['command', 'copy']).where('project_id', '=', p.projectId),
)

/** null: the project names nothing. */
export async function setUpOf(reader: Reader, projectId: string): Promise<SetUp | null> {
  const row = await reader.first(selectSetUp, { projectId })
  return row ? { command: JSON.parse(row.command), copy: JSON.parse(row.copy) } : null
}
