/**
 * What a machine is asked about a review (RV): which files differ between two trees, which line a
 * comment is about, and where the lines of comments are now. Part of coordinator-requests.ts.
 */
import * as z from 'zod'
import { ObjectId } from '../worktrees/file-state.ts'

const Folder = z.string().min(1).max(4096)
const Key = z.string().min(1).max(1000)
export const FilePath = z.string().min(1).max(4096)
const LineNumber = z.int().min(1)

export const Side = z.enum(['old', 'new'])
export type Side = z.output<typeof Side>

/** States that comments are carried through at once; earlier ones are left out. */
export const maxCarriedSteps = 200
/** Comments of one conversation that are not withdrawn. */
export const maxComments = 1000
/** Lines of one comment, and their characters. */
export const maxQuotedLines = 200
export const maxQuotedChars = 16 * 1024
/** A file with more is not shown line by line. */
export const maxReviewedBytes = 1024 * 1024

/**
 * Two trees. `fork`: where the worktree's branch began, or else `first`; `head`: the commit that is
 * checked out. `to` is the present state where it is null.
 */
const TreePair = z.object({
  from: z.union([z.enum(['fork', 'head']), ObjectId]),
  /** The state before the conversation's first turn, for a folder without a branch of its own. */
  first: ObjectId.nullable(),
  to: ObjectId.nullable(),
  /** The newest state that is known, for a folder that is gone. */
  newest: ObjectId.nullable(),
})
export type TreePair = z.output<typeof TreePair>

const Where = z.object({ folders: z.array(Folder).min(1).max(2), key: Key, view: TreePair })

/** A place in a version of a file; null: its lines are not there. */
const LinePlace = z.object({
  blob: ObjectId,
  line: LineNumber.nullable(),
  endLine: LineNumber.nullable(),
})
export type LinePlace = z.output<typeof LinePlace>

const CarriedComment = z.object({
  id: z.string().min(1).max(200),
  /** Where it was last: the file's path in that state. */
  path: FilePath,
  tree: ObjectId,
  /** The first of `steps` that it was not carried through yet. */
  step: z.int().min(0),
  /** The version that it was written about. */
  origin: ObjectId,
  places: z.array(LinePlace).max(maxCarriedSteps * 2),
})

export const reviewRequests = [
  Where.extend({
    kind: z.literal('review-changes'),
    path: FilePath.nullable(),
    withText: z.boolean(),
  }),
  Where.extend({
    kind: z.literal('review-line'),
    file: FilePath,
    side: Side,
    line: LineNumber,
    endLine: LineNumber,
  }),
  Where.extend({
    kind: z.literal('review-carry'),
    steps: z.array(ObjectId).max(maxCarriedSteps),
    comments: z.array(CarriedComment).max(maxComments),
  }),
  Where.extend({
    kind: z.literal('review-versions'),
    paths: z.array(FilePath).max(maxComments),
  }),
  Where.extend({ kind: z.literal('review-version'), blob: ObjectId }),
] as const

export interface ReviewedFile {
  /** As it is shown; the earlier name of a renamed file beside it. */
  readonly path: string
  readonly oldPath: string | null
  readonly change: 'added' | 'modified' | 'deleted' | 'renamed'
  /** null: not text. */
  readonly added: number | null
  readonly removed: number | null
  /** The versions; null where the file is not there. */
  readonly oldBlob: string | null
  readonly newBlob: string | null
}

export interface ReviewedChanges {
  readonly from: string
  readonly to: string
  readonly files: readonly ReviewedFile[]
  readonly fileCount: number
  readonly text: string
  readonly cut: boolean
}

/** A file in one version; null: it is gone, or longer than is shown. */
export interface ReviewedVersion {
  readonly base64: string | null
}

/** The code of a comment as a diff shows it: each line with its sign. */
export interface QuotedCode {
  readonly above: readonly string[]
  readonly lines: readonly string[]
  readonly below: readonly string[]
}

export type FoundLine =
  | { readonly found: false; readonly why: 'no_such_file' | 'no_such_line' }
  | {
      readonly found: true
      readonly tree: string
      readonly path: string
      readonly blob: string
      readonly places: readonly LinePlace[]
      readonly code: QuotedCode
    }

/** `at`: where it stands in All changes; null: outdated. */
export interface CarriedPlace {
  readonly id: string
  readonly path: string
  readonly tree: string
  readonly places: readonly LinePlace[]
  readonly at: {
    readonly side: Side
    readonly file: string
    readonly line: number
    readonly endLine: number
  } | null
}
