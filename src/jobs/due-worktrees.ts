/**
 * Worktrees unused for `worktree.remove_after_days` of their project are removed (WT3), without
 * confirming any loss: the machine refuses while something would be lost, the worktree is in use,
 * or git refuses; then it stays and comes up again.
 */
import { systemId } from '../domain/access/caller.ts'
import { Refusal } from '../domain/errors.ts'
import type { Worktrees } from '../server/worktrees/worktrees.ts'
import { findUnusedWorktrees } from '../services/worktrees/queries.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

const everyMs = 3_600_000
/** Upper bound per look; each is a request to a machine. */
const maxPerLook = 50

const system = { id: systemId, scopes: ['manage'] } as const

interface UnusedWorktree {
  readonly worktreeId: string
  readonly projectId: string
}

export function dueWorktrees(
  store: Store,
  worktrees: Pick<Worktrees, 'remove'>,
): DueWork<UnusedWorktree> {
  /** Position of the next look, so that worktrees that stay do not hide the others. */
  let position = ''
  return {
    everyMs,
    firstAfterMs: everyMs,
    failureText: 'unused worktrees could not be removed',
    async find() {
      const { due, after } = await store.query(findUnusedWorktrees, { after: position })
      const isCut = due.length > maxPerLook
      position = (isCut ? due[maxPerLook - 1]?.worktreeId : after) ?? ''
      return due.slice(0, maxPerLook)
    },
    run: (due) =>
      worktrees.remove(system, due, null).catch((error: unknown) => {
        // A worktree with unsaved work, in use, or on an unreachable machine stays.
        if (!(error instanceof Refusal)) throw error
      }),
  }
}
