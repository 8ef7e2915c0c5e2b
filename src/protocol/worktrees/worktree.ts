/**
 * Worktrees as readers see them (WT2, WT3, WT6): the register, what has changed in one, what it
 * takes, and what would be lost with it.
 */

import * as z from 'zod'
import { Notice, refusedAs, SentNotice } from '../notices.ts'
import { line, longText, storable, Time } from '../text.ts'

/** WT5: time limit of a set-up command, which may build a whole project. */
export const setUpWithinMs = 15 * 60_000
export const maxSetUpOutput = 8 * 1024

export const maxCopiedFiles = 100

export const SetUpReport = z.object({
  copied: z.array(z.string().max(1024)).max(maxCopiedFiles),
  left: z
    .array(z.object({ path: z.string().max(1024), why: z.string().max(1024), notice: SentNotice }))
    .max(maxCopiedFiles),
  /** null: the project has no command. */
  outcome: z.enum(['done', 'failed', 'timeout', 'stopped', 'not_found']).nullable(),
  exitCode: z.int().nullable(),
  output: z.string().max(maxSetUpOutput).overwrite(storable),
})
export type SetUpReport = z.output<typeof SetUpReport>

/** A registered workspace of a role of a user session, or of a conversation. */
export const Worktree = z.object({
  id: z.string(),
  projectId: z.string(),
  /** null: of a conversation. */
  userSessionId: z.string().nullable(),
  /** The key of its conversation (CX9); null: of a role. */
  conversation: z.string().nullable(),
  role: z.string(),
  agentId: z.string(),
  coordinatorId: z.string(),
  /** `plain`: a directory without git; `note` says why (WT4). */
  kind: z.enum(['worktree', 'plain']),
  /** Where the agent starts; absolute, on that machine. */
  folder: z.string(),
  branch: z.string().nullable(),
  baseBranch: z.string().nullable(),
  note: z.string().nullable(),
  notice: Notice.nullish(),
  /** null: nothing to do. */
  setUp: SetUpReport.nullable(),
  createdAt: Time,
  lastUsedAt: Time,
  removedAt: Time.nullable(),
})
export type Worktree = z.output<typeof Worktree>

export const ChangedFile = z.object({
  /** Bytes that are no text are escaped as `\xNN`. */
  path: z.string(),
  /** `repository`: one inside of this one, in which nothing is read. */
  change: z.enum([
    'added',
    'modified',
    'deleted',
    'renamed',
    'untracked',
    'conflicted',
    'repository',
  ]),
})

export type ChangedFile = z.output<typeof ChangedFile>

export const WorktreeState = z.object({
  branch: z.string().nullable(),
  head: z.string(),
  /** Compared with the base branch; null when that is gone. */
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  /** Changed since the fork point, committed or not; the first 1,000. */
  files: z.array(ChangedFile),
  fileCount: z.int(),
  /** Uncommitted files, including untracked ones. */
  uncommitted: z.int(),
  command: z.string().nullable(),
})
export type WorktreeState = z.output<typeof WorktreeState>

export const WorktreeDiff = z.object({
  text: z.string(),
  /** The diff was cut; ask for a single file, or for the patch. */
  cut: z.boolean(),
  /** Untracked files left out because they are too many or too large. */
  leftOut: z.int(),
})
export type WorktreeDiff = z.output<typeof WorktreeDiff>

/** WT3: what a person confirms. */
export const Losses = z.object({
  files: z.array(ChangedFile),
  /** Commits that no other branch, tag or remote has; the first 200. */
  commits: z.array(z.object({ id: z.string(), subject: z.string() })),
  /** Unfinished git operations: `merge`, `rebase` … */
  unfinished: z.array(z.string()),
  /** Identifies exactly these losses, including file contents. */
  digest: z.string(),
})
export type Losses = z.output<typeof Losses>

/**
 * A machine's answers to a removal and to a merge. `why` is for a person; `command` is what they
 * can run.
 */
export type RemovalResult =
  | { readonly outcome: 'removed' }
  | ({ readonly outcome: 'refused'; readonly reason: 'not_ours' | 'in_use' | 'git_refused' } & Why)
  | { readonly outcome: 'would_lose'; readonly losses: Losses }

export type MergeRefusal =
  | 'uncommitted'
  | 'no_branch'
  | 'target_in_use'
  | 'moved'
  | 'git_refused'
  | 'needs_filter'

export type MergeResult =
  | { readonly outcome: 'done' | 'nothing_new'; readonly commit: string }
  | { readonly outcome: 'conflicts'; readonly files: readonly string[]; readonly command: string }
  | ({
      readonly outcome: 'refused'
      readonly reason: MergeRefusal
      readonly command: string | null
    } & Why)

type Why = { readonly why: string; readonly notice?: Notice }

export const LossSummary = z.object({
  fileCount: z.int(),
  files: z.array(z.string()),
  commitCount: z.int(),
  commits: z.array(z.string()),
  unfinished: z.array(z.string()),
  digest: z.string(),
})
export type LossSummary = z.output<typeof LossSummary>

export const WorktreeInspection = z.object({
  /** `complete: false`: a lower bound. */
  disk: z.object({ bytes: z.int(), files: z.int(), complete: z.boolean() }),
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  fileCount: z.int(),
  uncommitted: z.int(),
  /** `would_lose`: only with a confirmation. */
  canGo: z.enum(['yes', 'would_lose', 'in_use', 'gone', 'refused']),
  why: z.string().nullable(),
  notice: Notice.nullish(),
  /** With `would_lose`: the losses, unless its machine has an older build. */
  losses: LossSummary.nullable().optional(),
})
export type WorktreeInspection = z.output<typeof WorktreeInspection>

/**
 * In a list. `look` is the inspection, only when requested; null when its machine did not answer,
 * and `trouble` says why.
 */
export const ListedWorktree = Worktree.extend({
  look: WorktreeInspection.nullable().optional(),
  trouble: z.string().nullable().optional(),
  troubleNotice: Notice.nullish(),
})
export type ListedWorktree = z.output<typeof ListedWorktree>

/**
 * WT5: the set-up, configured with the `manage` scope: a program with arguments, without a shell,
 * and ignored files to copy.
 */
export const SetUp = z.strictObject({
  command: z.array(longText(4096)).max(200).nullable(),
  /** Paths below the top of the repository. */
  copy: z.array(line(1024)).max(maxCopiedFiles),
})
export type SetUp = z.output<typeof SetUp>

/** A name that git accepts as a branch and takes for nothing else. */
export const BranchName = line(250).refine(
  (name) =>
    !/[\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[-/.]|[/.]$|\.lock(?:\/|$)/.test(name) &&
    name !== '@' &&
    name !== 'HEAD',
  refusedAs('noBranchName'),
)
