/** Worktrees as readers see them (WT2, WT3, WT6): the register, what has changed in one, what it takes, and what would be lost with it. */

import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { line, longText, storable, Time } from '../text.ts'

/** WT5: a set-up command may build a whole project. */
export const setUpWithinMs = 15 * 60_000
/** Of what it printed, the end: kept with the worktree. */
export const maxSetUpOutput = 8 * 1024

/** Ignored files that a project may name. */
export const maxCopiedFiles = 100

/** What was done to make a fresh worktree runnable (WT5). */
export const SetUpReport = z.object({
  copied: z.array(z.string().max(1024)).max(maxCopiedFiles),
  /** Each with its reason. */
  left: z.array(z.object({ path: z.string().max(1024), why: z.string().max(1024) })).max(maxCopiedFiles),
  /** null: the project names no command. */
  outcome: z.enum(['done', 'failed', 'timeout', 'stopped', 'not_found']).nullable(),
  exitCode: z.int().nullable(),
  /** The end of what it printed. */
  output: z.string().max(maxSetUpOutput).overwrite(storable),
})
export type SetUpReport = z.output<typeof SetUpReport>

/** In the register: where a role of a user session, or a conversation, works or has worked. */
export const Worktree = z.object({
  id: z.string(),
  projectId: z.string(),
  /** null: of a conversation. */
  userSessionId: z.string().nullable(),
  /** The key of the conversation that works there (CX9); null: a role does. */
  conversation: z.string().nullable(),
  role: z.string(),
  /** The agent that worked there last. */
  agentId: z.string(),
  /** The machine it is on. */
  coordinatorId: z.string(),
  /** `plain`: a directory without git; `note` says why (WT4). */
  kind: z.enum(['worktree', 'plain']),
  /** Where the agent starts; absolute, on that machine. */
  folder: z.string(),
  branch: z.string().nullable(),
  /** The branch it began at; null when that was none. */
  baseBranch: z.string().nullable(),
  note: z.string().nullable(),
  /** null: nothing was to be done. */
  setUp: SetUpReport.nullable(),
  createdAt: Time,
  lastUsedAt: Time,
  removedAt: Time.nullable(),
})
export type Worktree = z.output<typeof Worktree>

const ChangedFile = z.object({
  /** Bytes of its name that are no text are spelled `\xNN`. */
  path: z.string(),
  change: z.enum(['added', 'modified', 'deleted', 'renamed', 'untracked', 'conflicted']),
})

export const WorktreeState = z.object({
  /** The branch that is checked out; null between branches. */
  branch: z.string().nullable(),
  head: z.string(),
  /** Against the branch it began at; null when that is gone. */
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  /** Since it left that branch, committed or not; the first 1,000. */
  files: z.array(ChangedFile),
  fileCount: z.int(),
  /** Files that are not committed, untracked ones among them. */
  uncommitted: z.int(),
  /** What brings it into the branch it began at, to be typed there; null when there is none. */
  command: z.string().nullable(),
})
export type WorktreeState = z.output<typeof WorktreeState>

export const WorktreeDiff = z.object({
  text: z.string(),
  /** There is more than is shown; ask for a single file, or for the patch. */
  cut: z.boolean(),
  /** Untracked files that are not in it, because they are too many or too large. */
  leftOut: z.int(),
})
export type WorktreeDiff = z.output<typeof WorktreeDiff>

/** WT3: what a person confirms. */
export const Losses = z.object({
  files: z.array(ChangedFile),
  /** Commits that no other branch, tag or remote has; the first 200. */
  commits: z.array(z.object({ id: z.string(), subject: z.string() })),
  /** What git is in the middle of: `merge`, `rebase` … */
  unfinished: z.array(z.string()),
  /** Stands for exactly this, the contents of the files included. */
  digest: z.string(),
})
export type Losses = z.output<typeof Losses>

/** The same in short, for a list. */
export const LossSummary = z.object({
  fileCount: z.int(),
  /** The first of them. */
  files: z.array(z.string()),
  commitCount: z.int(),
  /** The subjects of the first. */
  commits: z.array(z.string()),
  unfinished: z.array(z.string()),
  digest: z.string(),
})
export type LossSummary = z.output<typeof LossSummary>

/** What a look at a worktree finds: what it takes, and whether it can go. */
export const WorktreeInspection = z.object({
  /** `complete: false`: at least so much. */
  disk: z.object({ bytes: z.int(), files: z.int(), complete: z.boolean() }),
  ahead: z.int().nullable(),
  behind: z.int().nullable(),
  fileCount: z.int(),
  uncommitted: z.int(),
  /** `would_lose`: only when that is confirmed. */
  canGo: z.enum(['yes', 'would_lose', 'in_use', 'gone', 'refused']),
  /** In words, where it cannot simply go. */
  why: z.string().nullable(),
  /** With `would_lose`: what, unless its machine has an older build. */
  losses: LossSummary.nullable().optional(),
})
export type WorktreeInspection = z.output<typeof WorktreeInspection>

/** In a list: `look` only when it was asked for; null then when its machine gave no answer, and `trouble` says why. */
export const ListedWorktree = Worktree.extend({
  look: WorktreeInspection.nullable().optional(),
  trouble: z.string().nullable().optional(),
})
export type ListedWorktree = z.output<typeof ListedWorktree>

/** WT5, set by who manages the installation: a program with its arguments, without a shell, and ignored files to copy. */
export const SetUp = z.strictObject({
  command: z.array(longText(4096)).max(200).nullable(),
  /** Paths below the top of the repository. */
  copy: z.array(line(1024)).max(maxCopiedFiles),
})
export type SetUp = z.output<typeof SetUp>

/** As git allows them, and nothing that git would take for more than a name. */
export const BranchName = line(250).refine(
  (name) => !/[\s~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[-/.]|[/.]$|\.lock(?:\/|$)/.test(name) && name !== '@' && name !== 'HEAD',
  refusedAs('noBranchName', {}, 'is no name of a branch'),
)
