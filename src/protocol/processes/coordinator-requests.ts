/**
 * Requests from the server to a coordinator, for anything that only its machine can do. A request
 * is an event of the coordinator's stream and is answered by facts, so any node can ask, whichever
 * the coordinator is connected to.
 *
 *   ← question-asked {questionId, ask}             event of `coordinator:ID`; after a reconnect, those still open are in the snapshot
 *   → question-answered {questionId, part, text, last}     facts; the texts of all parts together are a CoordinatorAnswer as JSON
 *
 * A request belongs to one epoch and has a deadline. After the deadline, or to a restarted
 * coordinator, it is not sent again, so nothing is done twice. A late answer is stored and still
 * updates the register.
 */
import * as z from 'zod'
import { pastRequests } from '../conversations/past-requests.ts'
import type { Notice } from '../notices.ts'
import { landingRequests } from '../review/landing-requests.ts'
import { reviewRequests } from '../review/review-requests.ts'
import { FileState, ObjectId } from '../worktrees/file-state.ts'
import { BranchName } from '../worktrees/worktree.ts'

/** Characters of one part, so that a fact stays below the message limit even when escaped. */
export const maxAnswerPart = 64 * 1024
/** Parts of one answer, enough for a patch of 16 MiB. */
export const maxAnswerParts = 400
export const maxOpenRequests = 200

export const maxFilesFound = 20

const Folder = z.string().min(1).max(4096)

const Folders = z.array(Folder).min(1).max(2)
const Key = z.string().min(1).max(1000)
/** States of one conversation that can be kept. */
const maxNeededStates = 20_000

export const WorktreeFolder = z.object({ kind: z.enum(['worktree', 'plain']), top: Folder })
export type WorktreeFolder = z.output<typeof WorktreeFolder>

export const CoordinatorRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('worktrees-look'), places: z.array(WorktreeFolder).max(200) }),
  z.object({ kind: z.literal('worktree-state'), top: Folder }),
  z.object({
    kind: z.literal('worktree-diff'),
    top: Folder,
    path: z.string().max(4096).nullable(),
  }),
  z.object({ kind: z.literal('worktree-patch'), top: Folder }),
  z.object({ kind: z.literal('worktree-losses'), top: Folder }),
  z.object({
    kind: z.literal('worktree-commit'),
    top: Folder,
    message: z.string().min(1).max(10_000),
  }),
  z.object({
    kind: z.literal('worktree-merge'),
    top: Folder,
    target: BranchName,
    /**
     * The target is in a worktree of Holdfast that is the caller's too; false: such a one is left
     * alone. Earlier servers do not say.
     */
    ofCaller: z.boolean().optional(),
    how: z.enum(['merge', 'rebase']),
    message: z.string().min(1).max(10_000),
  }),
  z.object({ kind: z.literal('folder-files'), folder: Folder, q: z.string().max(200) }),
  /** FS4: `folders`: where to look for the repository; the first that is there. */
  z.object({
    kind: z.literal('files-diff'),
    folders: Folders,
    from: ObjectId,
    to: ObjectId,
    path: z.string().max(4096).nullable(),
  }),
  /**
   * FS7: `state`: the one to keep instead of the present one; `first`: what the conversation's sum
   * counts from.
   */
  z.object({
    kind: z.literal('files-take'),
    folder: Folder,
    key: Key,
    since: ObjectId,
    first: ObjectId.optional(),
    state: FileState.optional(),
  }),
  /** FS8: repeated with the same id it is completed, or answered as before. */
  z.object({
    kind: z.literal('files-restore'),
    folder: Folder,
    id: z.string().min(1).max(200),
    key: Key,
    target: FileState,
    expected: FileState.nullable(),
    confirmed: z.string().max(200).nullable(),
  }),
  /** FS9: a worktree with the files of a state; the same for the same key. */
  z.object({
    kind: z.literal('files-fork'),
    folders: Folders,
    projectId: z.string().min(1).max(200),
    projectFolder: Folder,
    role: z.string().min(1).max(200),
    key: Key,
    state: FileState,
  }),
  z.object({
    kind: z.literal('files-keep'),
    folders: Folders,
    key: Key,
    needed: z.array(ObjectId).max(maxNeededStates),
  }),
  z.object({
    kind: z.literal('worktree-remove'),
    place: WorktreeFolder,
    confirmed: z.string().max(200).nullable(),
  }),
  ...reviewRequests,
  ...landingRequests,
  ...pastRequests,
])
export type CoordinatorRequest = z.output<typeof CoordinatorRequest>
export type CoordinatorRequestKind = CoordinatorRequest['kind']

/** Requests that change something. Their results are kept as long as a receipt. */
export const changingRequests: ReadonlySet<CoordinatorRequestKind> = new Set([
  'worktree-commit',
  'worktree-merge',
  'worktree-remove',
  'files-restore',
  'files-fork',
])

/**
 * Requests with the same effect and answer when they are repeated: the next coordinator answers
 * what one left open.
 */
export const repeatableRequests: ReadonlySet<CoordinatorRequestKind> = new Set([
  'files-diff',
  'files-take',
  'files-restore',
  'files-fork',
  'files-keep',
  ...reviewRequests.map(({ shape }) => shape.kind.value),
  ...landingRequests.map(({ shape }) => shape.kind.value),
])

/** Why a request could not be answered. `why` is for a person. */
export const requestFailures = [
  'gone',
  'not_ours',
  'git_refused',
  'needs_filter',
  'invalid',
  'busy',
] as const

export type CoordinatorAnswer =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false
      readonly reason: (typeof requestFailures)[number]
      readonly why: string
      readonly notice?: Notice
    }

/** Body of `question-asked`, also in the snapshot. */
export interface OpenCoordinatorRequest {
  readonly questionId: string
  readonly ask: CoordinatorRequest
}

const about = { n: z.int().min(1) }

export const coordinatorRequestFacts = [
  z.object({
    ...about,
    type: z.literal('question-answered'),
    questionId: z.string().min(1).max(200),
    part: z.int().min(0).max(maxAnswerParts),
    text: z.string().max(maxAnswerPart),
    last: z.boolean(),
  }),
] as const
