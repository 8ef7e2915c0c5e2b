/**
 * Questions to a coordinator: one way for everything that only its machine can say or do, whatever it is about. A question is an event of
 * its stream and answered by facts, so it does not matter which node asks and which one the coordinator is connected to.
 *
 *   ← question-asked {questionId, ask}             event of `coordinator:ID`; after a reconnect, those still open are in the snapshot
 *   → question-answered {questionId, part, text, last}     facts; the texts of all parts together are an Answer as JSON
 *
 * A question is asked of one epoch and has a deadline. What its deadline has passed is not asked again; a coordinator that was started
 * anew does not get it, so nothing is done twice. An answer that comes late is kept, and changes the register all the same.
 */
import * as z from 'zod'
import { BranchName } from '../worktrees/worktree.ts'

/** Of one part, in characters: a fact is well below the door's limit however it is escaped. */
export const maxAnswerPart = 64 * 1024
/** Of one answer: a patch of 16 MiB as text, and something around it. */
export const maxAnswerParts = 400
/** Not answered yet, for one coordinator. */
export const maxOpenRequests = 200

const Folder = z.string().min(1).max(4096)

/** A place in the register. */
export const WorktreeFolder = z.object({ kind: z.enum(['worktree', 'plain']), top: Folder })
export type WorktreeFolder = z.output<typeof WorktreeFolder>

export const CoordinatorRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('worktrees-look'), places: z.array(WorktreeFolder).max(200) }),
  z.object({ kind: z.literal('worktree-state'), top: Folder }),
  z.object({ kind: z.literal('worktree-diff'), top: Folder, path: z.string().max(4096).nullable() }),
  z.object({ kind: z.literal('worktree-patch'), top: Folder }),
  z.object({ kind: z.literal('worktree-losses'), top: Folder }),
  z.object({ kind: z.literal('worktree-commit'), top: Folder, message: z.string().min(1).max(10_000) }),
  z.object({
    kind: z.literal('worktree-merge'),
    top: Folder,
    target: BranchName,
    how: z.enum(['merge', 'rebase']),
    message: z.string().min(1).max(10_000),
  }),
  z.object({ kind: z.literal('worktree-remove'), place: WorktreeFolder, confirmed: z.string().max(200).nullable() }),
])
export type CoordinatorRequest = z.output<typeof CoordinatorRequest>
export type CoordinatorRequestKind = CoordinatorRequest['kind']

/** Those that change something; what came of them is kept as long as a receipt. */
export const changingRequests: ReadonlySet<CoordinatorRequestKind> = new Set([
  'worktree-commit',
  'worktree-merge',
  'worktree-remove',
])

/** Why it could not be answered: the words are for a person. */
export const requestFailures = ['gone', 'not_ours', 'git_refused', 'invalid', 'busy'] as const

export type CoordinatorAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: (typeof requestFailures)[number]; readonly why: string }

/** The body of `question-asked`, and in the snapshot. */
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
