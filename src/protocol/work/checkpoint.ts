/** Checkpoints on the wire (CK1): when and why a work session's state was saved. */
import * as z from 'zod'
import { checkpointReasons } from '../../domain/work/work-session-lifecycle.ts'
import { Notice } from '../notices.ts'
import { line, longText, Time } from '../text.ts'

export const WorkError = z.object({
  code: z.string(),
  message: z.string(),
  notice: Notice.optional(),
  at: Time,
})

export const Checkpoint = z.object({
  /** Numbered within the work session. */
  number: z.number().int(),
  at: Time,
  reason: z.enum(checkpointReasons),
  subject: z.string().nullable(),
  error: WorkError.nullable(),
})
export type Checkpoint = z.output<typeof Checkpoint>

/** A requested checkpoint, with facts that the caller knows better than the server. */
export const CheckpointRequest = z.strictObject({
  contextSummary: longText(100_000).nullish(),
  currentPhase: z.int().min(0).max(1_000_000).nullish(),
  error: z.strictObject({ code: line(100), message: longText(10_000) }).optional(),
})

export const SavedCheckpoint = z.object({
  path: z.string(),
  timestamp: Time,
  /** False: it is stored, but the file could not be written; writing is retried. */
  written: z.boolean(),
})
export type SavedCheckpoint = z.output<typeof SavedCheckpoint>
