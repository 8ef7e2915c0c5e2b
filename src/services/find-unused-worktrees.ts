/** The worktrees that their project's policy has removed when nothing in them would be lost (WT3): a page of those not used for long enough. */
import { epochMs } from '../domain/instant.ts'
import { durationMs } from '../domain/project/duration.ts'
import { selectUnusedSince } from '../store/queries/worktrees.ts'
import { defineQuery } from '../store/store.ts'
import { settingsFrom } from './project-settings.ts'

/** In one read. */
const lookedAtOnce = 200

interface UnusedWorktrees {
  readonly due: readonly { readonly worktreeId: string; readonly projectId: string }[]
  /** The last one looked at; undefined: there are no more. */
  readonly after: string | undefined
}

export const findUnusedWorktrees = defineQuery({
  name: 'find-unused-worktrees',
  run: async (reader, { after }: { after: string }, { now }): Promise<UnusedWorktrees> => {
    const rows = await reader.all(selectUnusedSince, { until: now, after, limit: lookedAtOnce })
    const due = rows.filter(({ settings, last_used_at }) => {
      const afterMs = durationMs(settingsFrom(settings), 'worktree.remove_after_days')
      return afterMs > 0 && epochMs(now) - epochMs(last_used_at) >= afterMs
    })
    return {
      due: due.map((row) => ({ worktreeId: row.id, projectId: row.project_id })),
      after: rows.length < lookedAtOnce ? undefined : rows.at(-1)?.id,
    }
  },
})
