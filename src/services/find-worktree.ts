/** A worktree of a project in the register; another's is not there (SE3). */
import { because } from '../domain/because.ts'
import { Refusal } from '../domain/errors.ts'
import { selectWorktree, type WorktreeRow } from '../store/queries/worktrees.ts'
import { defineQuery } from '../store/store.ts'

interface Which {
  readonly projectId: string
  readonly worktreeId: string
  readonly accountId: string | null
}

export const findWorktree = defineQuery({
  name: 'find-worktree',
  withoutSnapshot: true,
  run: async (reader, { projectId, worktreeId, accountId }: Which): Promise<WorktreeRow> => {
    const row = await reader.first(selectWorktree, { id: worktreeId })
    if (row?.project_id !== projectId || (accountId !== null && row.account_id !== '' && row.account_id !== accountId))
      throw new Refusal('not_found', because('noWorktree', { id: worktreeId }), { worktreeId })
    return row
  },
})
