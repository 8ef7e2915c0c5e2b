/** REST handlers for the worktrees of a project. */
import type { worktreeRoutes } from '../../protocol/worktrees/routes.ts'
import { changeSetUp, getSetUp } from '../../services/worktrees/worktree-record.ts'
import { type HandlersOf, query, run } from './handler.ts'

export const worktreeHandlers: HandlersOf<typeof worktreeRoutes> = {
  listWorktrees: (call) => call.deps.worktrees.list(call.who, { ...call.query, ...call.params }),
  getWorktree: ({ params, who, deps }) => deps.worktrees.state(who, params),
  getWorktreeDiff: (call) =>
    call.deps.worktrees.diff(call.who, call.params, call.query.path ?? null),
  getWorktreePatch: async ({ params, who, deps, reply }) => {
    const { bytes, name } = await deps.worktrees.patch(who, params)
    await reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${name}"`)
      .type('text/x-patch')
      .send(bytes)
    return undefined
  },
  getWorktreeLosses: ({ params, who, deps }) => deps.worktrees.losses(who, params),
  commitWorktree: (call) =>
    call.deps.worktrees.commit(call.who, call.params, call.body?.message, call.receipt),
  mergeWorktree: (call) =>
    call.deps.worktrees.merge(call.who, call.params, call.body ?? {}, call.receipt),
  removeWorktree: (call) =>
    call.deps.worktrees.remove(call.who, call.params, call.query.confirm ?? null, call.receipt),
  getSetUp: query(getSetUp, ({ params }) => params),
  changeSetUp: run(changeSetUp, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
}
