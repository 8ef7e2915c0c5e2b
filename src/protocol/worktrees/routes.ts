/** The worktrees of a project (WT): what is in them, how to get it out, what can go. Their machine is asked; away, it gives `coordinator_away`. */

import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { PageQuery, pageOf } from '../page.ts'
import type { Route } from '../route.ts'
import { Id, longText, YesOrNo } from '../text.ts'
import { BranchName, ListedWorktree, Losses, SetUp, Worktree, WorktreeDiff, WorktreeState } from './worktree.ts'

const project = z.object({ projectId: Id })
const which = project.extend({ worktreeId: Id })
const Message = longText(10_000).refine((text) => text.trim() !== '', refusedAs('saySomething', {}, 'must say something'))

export const worktreeRoutes = {
  listWorktrees: {
    method: 'GET',
    path: '/api/projects/{projectId}/worktrees',
    scope: 'read',
    summary:
      'List the worktrees of a project, newest first: of your own user sessions, or everybody’s for who manages the installation. `look` asks their machines what each takes and whether it can go',
    params: project,
    query: PageQuery.extend({
      userSessionId: Id.optional(),
      role: z.string().max(200).optional(),
      removed: YesOrNo,
      look: YesOrNo,
    }),
    status: 200,
    answer: pageOf(ListedWorktree),
  },
  getWorktree: {
    method: 'GET',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}',
    scope: 'read',
    summary:
      'Read a worktree: branch, ahead and behind, changed files, and the git command that brings it in. A plain directory has no state',
    params: which,
    status: 200,
    answer: z.object({ worktree: Worktree, state: WorktreeState.nullable() }),
  },
  getWorktreeDiff: {
    method: 'GET',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}/diff',
    scope: 'read',
    summary: 'Read what has changed in a worktree since it began, to 2 MiB; `path` for a single file as the state names it',
    params: which,
    query: z.object({ path: z.string().max(4096).optional() }),
    status: 200,
    answer: WorktreeDiff,
  },
  getWorktreePatch: {
    method: 'GET',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}/patch',
    scope: 'read',
    summary: 'Download everything that has changed in a worktree as one patch for `git apply`, to 16 MiB',
    params: which,
    status: 200,
    media: 'text/x-patch',
  },
  getWorktreeLosses: {
    method: 'GET',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}/losses',
    scope: 'read',
    summary: 'Read what would be lost with a worktree; its `digest` confirms exactly that when it is removed',
    params: which,
    status: 200,
    answer: Losses,
  },
  commitWorktree: {
    method: 'POST',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}/commit',
    scope: 'write',
    summary: 'Commit everything in a worktree on its branch, in our name; `commit` is null when there was nothing to commit',
    params: which,
    body: z.strictObject({ message: Message.optional() }).optional(),
    status: 200,
    answer: z.object({ commit: z.string().nullable(), files: z.int() }),
  },
  mergeWorktree: {
    method: 'POST',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}/merge',
    scope: 'write',
    summary:
      'Merge or rebase a worktree into a branch, the one it began at when none is named. Conflicts (`merge_conflict`) leave both sides untouched',
    params: which,
    body: z
      .strictObject({ branch: BranchName.optional(), how: z.enum(['merge', 'rebase']).optional(), message: Message.optional() })
      .optional(),
    status: 200,
    answer: z.object({ outcome: z.enum(['done', 'nothing_new']), commit: z.string(), branch: z.string() }),
  },
  removeWorktree: {
    method: 'DELETE',
    path: '/api/projects/{projectId}/worktrees/{worktreeId}',
    scope: 'write',
    summary:
      'Remove a worktree and its branch, when nothing can be lost; otherwise `would_lose` says what, and `confirm` with its digest removes it. Also one that is removed',
    params: which,
    query: z.object({ confirm: z.string().max(200).optional() }),
    status: 204,
  },
  getSetUp: {
    method: 'GET',
    path: '/api/projects/{projectId}/set-up',
    scope: 'read',
    summary: 'Read what makes a fresh worktree of the project runnable',
    params: project,
    status: 200,
    answer: SetUp,
  },
  changeSetUp: {
    method: 'PUT',
    path: '/api/projects/{projectId}/set-up',
    scope: 'manage',
    summary: 'Set the command that runs in each fresh worktree of the project, and the ignored files that are copied there first',
    params: project,
    body: SetUp,
    status: 200,
    answer: SetUp,
  },
} as const satisfies Record<string, Route>
