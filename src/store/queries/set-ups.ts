/** What makes fresh worktrees of a project runnable, as rows (WT5). Written behind the lock of the project's stream. */
import type { SetUp } from '../../protocol/worktree.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'

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
