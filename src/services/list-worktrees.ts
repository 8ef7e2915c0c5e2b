/** Lists the worktrees of a project in the register, newest first: of one's own user sessions, or everybody's for who manages the installation. */
import type { Page, PageQuery } from '../protocol/page.ts'
import { cutPage, pageParams } from '../store/queries/page-cursor.ts'
import { selectProject } from '../store/queries/projects.ts'
import { type WorktreeRow, type WorktreesFilter, worktreesPage } from '../store/queries/worktrees.ts'
import { defineQuery } from '../store/store.ts'
import { noSuchProject } from './refusals.ts'

type Keyed = WorktreeRow & { readonly createdAt: string }

export const listWorktrees = defineQuery({
  name: 'list-worktrees',
  run: async (reader, { limit, cursor, ...filter }: PageQuery & WorktreesFilter): Promise<Page<Keyed>> => {
    if (!(await reader.first(selectProject, { id: filter.projectId }))) throw noSuchProject(filter.projectId)
    const rows = await worktreesPage(reader, filter, pageParams({ limit, cursor }))
    return cutPage(
      rows.map((row) => ({ ...row, createdAt: row.created_at })),
      limit,
    )
  },
})
