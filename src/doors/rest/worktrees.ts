/** REST handlers for the worktrees of a project. */
import type { worktreeRoutes } from '../../protocol/worktrees/routes.ts'
import { listWorktrees } from '../../services/worktrees/queries.ts'
import { changeSetUp, getSetUp } from '../../services/worktrees/worktree-record.ts'
import { allowed, by, type HandlersOf, query, run } from './handler.ts'

/** What is asked of the machine that has the worktree. */
const looks = { scope: 'read', on: 'worktree' } as const
const changes = { scope: 'write', on: 'worktree' } as const

export const worktreeHandlers: HandlersOf<typeof worktreeRoutes> = {
  listWorktrees: by(listWorktrees, (call) =>
    call.deps.worktrees.list(call.who, { ...call.query, ...call.params }),
  ),
  getWorktree: allowed(looks, async ({ params, who, deps }) => deps.worktrees.state(who, params)),
  getWorktreeDiff: allowed(looks, async (call) =>
    call.deps.worktrees.diff(call.who, call.params, call.query.path ?? null),
  ),
  getWorktreePatch: allowed(looks, async ({ params, who, deps, reply }) => {
    const { bytes, name } = await deps.worktrees.patch(who, params)
    await reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${name}"`)
      .type('text/x-patch')
      .send(bytes)
    return undefined
  }),
  getWorktreeLosses: allowed(looks, async ({ params, who, deps }) =>
    deps.worktrees.losses(who, params),
  ),
  commitWorktree: allowed(changes, async (call) =>
    call.deps.worktrees.commit(call.who, call.params, call.body?.message, call.receipt),
  ),
  mergeWorktree: allowed(changes, async (call) =>
    call.deps.worktrees.merge(call.who, call.params, call.body ?? {}, call.receipt),
  ),
  removeWorktree: allowed(changes, async (call) =>
    call.deps.worktrees.remove(call.who, call.params, call.query.confirm ?? null, call.receipt),
  ),
  getSetUp: query(getSetUp, ({ params }) => params),
  changeSetUp: run(changeSetUp, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
}
