/** The state of a workplace's files before or after a turn (FS), on the link and on the wire. */
import * as z from 'zod'

export const ObjectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)

/**
 * Objects in the repository: the tree of the files, and the names of what was left out. `head`: the
 * commit checked out then.
 */
export const FileState = z.object({ tree: ObjectId, leftOut: ObjectId.nullable(), head: ObjectId })
export type FileState = z.output<typeof FileState>

export const FileChanges = z.object({
  files: z.int().min(0),
  added: z.int().min(0),
  removed: z.int().min(0),
})
export type FileChanges = z.output<typeof FileChanges>

/** What a state does not hold, at most this many by name. */
export const maxShownLeftOut = 100
export const LeftOutFile = z.object({
  path: z.string().max(4096),
  why: z.enum(['too_large', 'too_many', 'repository', 'special', 'unreadable']),
})
export type LeftOutFile = z.output<typeof LeftOutFile>

export const StateDiff = z.object({
  text: z.string(),
  cut: z.boolean().describe('The text ends early; the files and their sum are whole'),
  files: z.array(
    z.object({ path: z.string(), added: z.int().nullable(), removed: z.int().nullable() }),
  ),
  changes: FileChanges,
})
export type StateDiff = z.output<typeof StateDiff>

export const TurnDiff = StateDiff.extend({
  leftOut: z.array(LeftOutFile).describe('What the states do not hold'),
})
export type TurnDiff = z.output<typeof TurnDiff>

/** Files that a rewind would overwrite: changed by others since, or ignored and so in no state. */
export interface RewindLoss {
  readonly path: string
  readonly why: 'changed' | 'ignored'
}

export type RestoreAnswer =
  | {
      readonly outcome: 'done'
      readonly before: Omit<FileState, 'head'>
      readonly after: Omit<FileState, 'head'>
      /** Files that others changed while a restore was cut off; they were left alone. */
      readonly kept: readonly string[]
    }
  | {
      readonly outcome: 'would_lose'
      readonly token: string
      readonly files: readonly RewindLoss[]
      readonly count: number
    }
  | {
      readonly outcome: 'refused'
      readonly reason: 'changing' | 'in_the_way' | 'state_gone' | 'failed'
      readonly files?: readonly string[]
      readonly why?: string
    }

export interface ForkAnswer {
  readonly folder: string
  readonly top: string
  readonly branch: string
  readonly baseBranch: string | null
}
