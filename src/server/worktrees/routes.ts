/** The worktrees of a project: found in the register, asked of their machine. */
import type { worktreeRoutes } from '../../protocol/worktrees/routes.ts'
import { changeSetUp, getSetUp } from '../../services/worktrees/change-set-up.ts'
import { type HandlersOf, query, run } from '../http/handler.ts'

export const worktreeHandlers: HandlersOf<typeof worktreeRoutes> = {
  listWorktrees: (call) => call.doors.worktrees.list(call.who, { ...call.query, ...call.params }),
  getWorktree: ({ params, who, doors }) => doors.worktrees.state(who, params),
  getWorktreeDiff: (call) => call.doors.worktrees.diff(call.who, call.params, call.query.path ?? null),
  getWorktreePatch: async ({ params, who, doors, reply }) => {
    const { bytes, name } = await doors.worktrees.patch(who, params)
    await reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="${name}"`)
      .type('text/x-patch')
      .send(bytes)
    return undefined
  },
  getWorktreeLosses: ({ params, who, doors }) => doors.worktrees.losses(who, params),
  commitWorktree: (call) => call.doors.worktrees.commit(call.who, call.params, call.body?.message, call.receipt),
  mergeWorktree: (call) => call.doors.worktrees.merge(call.who, call.params, call.body ?? {}, call.receipt),
  removeWorktree: (call) => call.doors.worktrees.remove(call.who, call.params, call.query.confirm ?? null, call.receipt),
  getSetUp: query(getSetUp, ({ params }) => params),
  changeSetUp: run(changeSetUp, ({ params, body, who }) => ({ ...params, ...body, by: who.id })),
}
