/** The worktrees of a project (WT): what is in them, how to get it out, what can go. Their machine is asked; away, it gives `coordinator_away`. */

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
  listWorktrees: route(`GET ${project}/worktrees`, 'read', {
    ...listOf(ListedWorktree, {
      userSessionId: Id.optional(),
      role: z.string().max(200).optional(),
      removed: YesOrNo,
      look: YesOrNo,
    }),
  })`
    List the worktrees of a project, newest first: of your own user sessions, or everybody’s for who manages the installation. \`look\` asks their machines what each takes and whether it can go`,
  getWorktree: route(`GET ${one}`, 'read', {
    answer: z.object({ worktree: Worktree, state: WorktreeState.nullable() }),
  })`
    Read a worktree: branch, ahead and behind, changed files, and the git command that brings it in. A plain directory has no state`,
  getWorktreeDiff: route(`GET ${one}/diff`, 'read', {
    query: z.object({ path: z.string().max(4096).optional() }),
    answer: WorktreeDiff,
  })`
    Read what has changed in a worktree since it began, to 2 MiB; \`path\` for a single file as the state names it`,
  getWorktreePatch: route(`GET ${one}/patch`, 'read', { media: 'text/x-patch' })`
    Download everything that has changed in a worktree as one patch for \`git apply\`, to 16 MiB`,
  getWorktreeLosses: route(`GET ${one}/losses`, 'read', { answer: Losses })`
    Read what would be lost with a worktree; its \`digest\` confirms exactly that when it is removed`,
  commitWorktree: route(`POST ${one}/commit`, 'write', {
    body: z.strictObject({ message: Message.optional() }).optional(),
    /** `left`: repositories inside, which stay at the commit that HEAD has of them. */
    answer: z.object({ commit: z.string().nullable(), files: z.int(), left: z.array(z.string()) }),
  })`
    Commit everything in a worktree on its branch, in our name; \`commit\` is null when there was nothing to commit`,
  mergeWorktree: route(`POST ${one}/merge`, 'write', {
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
  })`
    Merge or rebase a worktree into a branch, the one it began at when none is named. Conflicts (\`merge_conflict\`) leave both sides untouched`,
  removeWorktree: route(`DELETE ${one}`, 'write', {
    query: z.object({ confirm: z.string().max(200).optional() }),
  })`
    Remove a worktree and its branch, when nothing can be lost; otherwise \`would_lose\` says what, and \`confirm\` with its digest removes it. Also one that is removed`,
  getSetUp: route(`GET ${project}/set-up`, 'read', {
    answer: SetUp,
  })`Read what makes a fresh worktree of the project runnable`,
  changeSetUp: route(`PUT ${project}/set-up`, 'manage', { body: SetUp, answer: SetUp })`
    Set the command that runs in each fresh worktree of the project, and the ignored files that are copied there first`,
}
