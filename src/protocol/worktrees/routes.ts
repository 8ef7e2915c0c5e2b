/**
 * The worktrees of a project (WT): what is in them, how to get it out, what can go. Their machine
 * is asked; away, it gives `coordinator_away`.
 */

import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { listOf } from '../page.ts'
import { route } from '../route.ts'
import { Id, longText, YesOrNo } from '../text.ts'
import {
  BranchName,
  ListedWorktree,
  Losses,
  SetUp,
  Worktree,
  WorktreeDiff,
  WorktreeState,
} from './worktree.ts'

const project = '/api/projects/{projectId}'
const one = `${project}/worktrees/{worktreeId}` as const

const Message = longText(10_000).refine((text) => text.trim() !== '', refusedAs('saySomething'))

export const worktreeRoutes = {
  listWorktrees: route({
    method: 'GET',
    path: `${project}/worktrees`,
    summary:
      'List the worktrees of a project, newest first: of your own user sessions, or ' +
      'everybody’s for who manages the installation. `look` asks their machines what each ' +
      'takes and whether it can go',
    ...listOf(ListedWorktree, {
      userSessionId: Id.optional(),
      role: z.string().max(200).optional(),
      removed: YesOrNo,
      look: YesOrNo,
    }),
  }),
  getWorktree: route({
    method: 'GET',
    path: one,
    summary:
      'Read a worktree: branch, ahead and behind, changed files, and the git command that ' +
      'brings it in. A plain directory has no state',
    answer: z.object({ worktree: Worktree, state: WorktreeState.nullable() }),
  }),
  getWorktreeDiff: route({
    method: 'GET',
    path: `${one}/diff`,
    summary:
      'Read what has changed in a worktree since it began, to 2 MiB; `path` for a single ' +
      'file as the state names it',
    query: z.object({ path: z.string().max(4096).optional() }),
    answer: WorktreeDiff,
  }),
  getWorktreePatch: route({
    method: 'GET',
    path: `${one}/patch`,
    summary:
      'Download everything that has changed in a worktree as one patch for `git apply`, to ' +
      '16 MiB',
    media: 'text/x-patch',
  }),
  getWorktreeLosses: route({
    method: 'GET',
    path: `${one}/losses`,
    summary:
      'Read what would be lost with a worktree; its `digest` confirms exactly that when it ' +
      'is removed',
    answer: Losses,
  }),
  commitWorktree: route({
    method: 'POST',
    path: `${one}/commit`,
    summary:
      'Commit everything in a worktree on its branch, as Holdfast; `commit` is null when ' +
      'there was nothing to commit',
    body: z.strictObject({ message: Message.optional() }).optional(),
    /** `left`: repositories inside, which stay at the commit that HEAD has of them. */
    answer: z.object({ commit: z.string().nullable(), files: z.int(), left: z.array(z.string()) }),
  }),
  mergeWorktree: route({
    method: 'POST',
    path: `${one}/merge`,
    summary:
      'Merge or rebase a worktree into a branch, the one it began at when none is named. ' +
      'Conflicts (`merge_conflict`) leave both sides untouched',
    body: z
      .strictObject({
        branch: BranchName.optional(),
        how: z.enum(['merge', 'rebase']).optional(),
        message: Message.optional(),
      })
      .optional(),
    answer: z.object({
      outcome: z.enum(['done', 'nothing_new']),
      commit: z.string(),
      branch: z.string(),
    }),
  }),
  removeWorktree: route({
    method: 'DELETE',
    path: one,
    summary:
      'Remove a worktree and its branch, when nothing can be lost; otherwise `would_lose` ' +
      'says what, and `confirm` with its digest removes it. Also one that is removed',
    query: z.object({ confirm: z.string().max(200).optional() }),
  }),
  getSetUp: route({
    method: 'GET',
    path: `${project}/set-up`,
    summary: 'Read what makes a fresh worktree of the project runnable',
    answer: SetUp,
  }),
  changeSetUp: route({
    method: 'PUT',
    path: `${project}/set-up`,
    summary:
      'Set the command that runs in each fresh worktree of the project, and the ignored ' +
      'files that are copied there first',
    body: SetUp,
    answer: SetUp,
  }),
}
