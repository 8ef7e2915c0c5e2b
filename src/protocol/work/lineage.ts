/** The tree of resumed work sessions and the events in between, for a picture (UI2). */
import * as z from 'zod'
import { Approval } from '../approvals/approval.ts'
import { Checkpoint } from './checkpoint.ts'
import { WorkSession } from './work-session.ts'

/** Limits: the newest work sessions, and the newest events of each kind on one. */
export const lineageSize = 40
export const lineageMarks = 40

export const Lineage = z.object({
  /** Newest first. */
  items: z.array(
    WorkSession.extend({
      checkpoints: z.array(
        Checkpoint.pick({ number: true, at: true, reason: true, subject: true }),
      ),
      approvals: z.array(
        Approval.pick({
          id: true,
          submittedAt: true,
          resolvedAt: true,
          status: true,
          checkpointType: true,
        }),
      ),
    }),
  ),
})
export type Lineage = z.output<typeof Lineage>
