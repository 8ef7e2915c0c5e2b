/**
 * What a machine is asked about sessions in agents' own files (IM9): which there are, and the turns
 * of one, piece by piece. Part of coordinator-requests.ts.
 */
import * as z from 'zod'
import { PastAgent, type PastHead, type PastTurn } from './past-session.ts'

/** Sessions of one page. */
export const maxListedSessions = 100
/** Files that were left out are named, so many at a time. */
export const maxListedSkipped = 200

export const pastRequests = [
  z.object({
    kind: z.literal('past-list'),
    agent: PastAgent.nullable(),
    q: z.string().max(200),
    from: z.int().min(0),
  }),
  z.object({
    kind: z.literal('past-turns'),
    agent: PastAgent,
    id: z.string().min(1).max(200),
    /** The number of the piece. */
    piece: z.int().min(0),
  }),
] as const

export interface SkippedFile {
  readonly file: string
  /** A reason's code, with what is filled into its words. */
  readonly reason: string
  readonly detail: string
}

export interface PastListAnswer {
  readonly items: readonly (PastHead & { readonly bytes: number; readonly mark: string })[]
  readonly total: number
  readonly skipped: readonly SkippedFile[]
}

export interface PastTurnsAnswer {
  readonly source: PastHead
  readonly turns: readonly PastTurn[]
  /** Which piece it is; the first again where the file has to be read anew. */
  readonly piece: number
  /** With the last piece. */
  readonly mark: string | null
  readonly skipped: readonly SkippedFile[]
}
