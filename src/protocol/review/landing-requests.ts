/**
 * What a machine is asked to land the work of a conversation (LD): a plan that names everything,
 * and then each of its steps. A step repeated is completed, or answered as before. Part of
 * coordinator-requests.ts.
 */
import * as z from 'zod'
import type { LaunchParticulars } from '../processes/link.ts'
import { ObjectId } from '../worktrees/file-state.ts'
import { BranchName } from '../worktrees/worktree.ts'

/** As the particulars of a launch have it. */
const LaunchIsolation = z.custom<NonNullable<LaunchParticulars['isolation']>>(
  (value) => typeof value === 'object' && value !== null,
)

const Folder = z.string().min(1).max(4096)
const Key = z.string().min(1).max(1000)
const LandingMessage = z.string().min(1).max(10_000)

const landingWays = ['merge', 'rebase', 'squash', 'push', 'pull-request'] as const
export const LandingWay = z.enum(landingWays)
export type LandingWay = z.output<typeof LandingWay>

/** Who made a commit, and when it is said to be made. */
export const Signature = z.object({
  /** null: as the person's own git says, where this machine is the owner's. */
  name: z.string().min(1).max(200),
  email: z.string().min(1).max(300),
  ofOwner: z.boolean(),
  date: z.iso.datetime(),
})
export type Signature = z.output<typeof Signature>

const CommitStep = z.object({
  do: z.literal('commit'),
  files: z.int(),
  tree: ObjectId,
  parent: ObjectId,
  commit: ObjectId,
  message: LandingMessage,
  author: z.string(),
})
const CheckStep = z.object({
  do: z.literal('check'),
  command: z.array(z.string()),
  tree: ObjectId,
})
const MoveStep = z.object({
  do: z.literal('move'),
  branch: BranchName,
  by: z.enum(['fast-forward', 'merge', 'rebase', 'squash']),
  from: ObjectId,
  to: ObjectId,
  /** null: it is checked out nowhere. */
  checkout: z.string().nullable(),
})
const PushStep = z.object({
  do: z.literal('push'),
  branch: BranchName,
  remoteBranch: z.string().min(1).max(300),
  address: z.string().min(1).max(2000),
  old: ObjectId.nullable(),
  new: ObjectId,
})
const PullRequestStep = z.object({
  do: z.literal('pull-request'),
  repository: z.string().min(1).max(300),
  head: z.string().min(1).max(300),
  base: z.string().min(1).max(300),
  title: z.string().min(1).max(300),
})

export const LandingStep = z.discriminatedUnion('do', [
  CommitStep,
  CheckStep,
  MoveStep,
  PushStep,
  PullRequestStep,
])
export type LandingStep = z.output<typeof LandingStep>
export type StepOf<Do extends LandingStep['do']> = Extract<LandingStep, { do: Do }>

/** Why a plan cannot be carried out; each is the code of an error. */
export const landingBlocks = [
  'agent_works',
  'branch_of_another',
  'needs_filter',
  'base_in_use',
  'branch_protected',
  'markers_left',
  'merge_conflict',
  'nothing_to_land',
  'remote_changed',
  'remote_moved',
  'lfs_push',
  'no_remote',
  'no_token',
] as const
export type LandingBlock = (typeof landingBlocks)[number]

export const maxConflictFiles = 500

const ConflictSide = z.object({ commit: z.string(), author: z.string(), subject: z.string() })
export const ConflictFile = z.object({
  path: z.string(),
  /** What was last done to it on each side; null: it is not there. */
  ours: ConflictSide.nullable(),
  theirs: ConflictSide.nullable(),
})
export type ConflictFile = z.output<typeof ConflictFile>

/** A plan as its machine makes it. */
export interface MadePlan {
  /** A hash of all trees, tips, names and addresses; not of dates and messages. */
  readonly plan: string
  readonly how: LandingWay
  readonly branch: string
  readonly into: string | null
  readonly head: string
  readonly tip: string | null
  /** What the branch of the landing will have. */
  readonly commit: string
  readonly blocks: readonly LandingBlock[]
  /** What each block is about: a file, a folder, a name. */
  readonly about: Readonly<Partial<Record<LandingBlock, string>>>
  readonly notes: readonly string[]
  readonly conflicts: readonly ConflictFile[]
  readonly steps: readonly LandingStep[]
  readonly command: string | null
}

const Where = z.object({ top: Folder, key: Key })

export const landingRequests = [
  Where.extend({
    kind: z.literal('land-plan'),
    how: LandingWay,
    into: BranchName.nullable(),
    /** False: a target in a worktree of another person is left alone. */
    ofCaller: z.boolean(),
    message: LandingMessage,
    signature: Signature,
    coAuthor: z.string().max(600).nullable(),
    /** Names of branches that are landed into elsewhere. */
    protectedBranches: z.array(z.string().max(300)).max(100),
    check: z.array(z.string()).nullable(),
    /** The address that is pinned; null: none yet. */
    address: z.string().max(2000).nullable(),
    title: z.string().max(300),
  }),
  Where.extend({
    kind: z.literal('land-step'),
    step: LandingStep,
    landingId: z.string().max(200).optional(),
    n: z.int().min(0).optional(),
    /** How the command of a check is isolated; null: not at all. */
    isolation: LaunchIsolation.nullish(),
  }),
  Where.extend({
    kind: z.literal('land-undo'),
    branch: BranchName,
    /** What the landing made of it, and what it was. */
    from: ObjectId,
    to: ObjectId,
  }),
] as const

export type StepAnswer =
  | { readonly outcome: 'done'; readonly output?: string }
  | {
      readonly outcome: 'refused'
      readonly code:
        | LandingBlock
        | 'plan_changed'
        | 'git_refused'
        | 'check_failed'
        | 'push_refused'
        | 'not_undone'
      readonly why: string
    }
