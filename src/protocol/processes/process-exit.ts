/** A coordinator's report of an exited process, and the server's decision (PX1). */
import * as z from 'zod'
import { Id, line } from '../text.ts'

const maxProcesses = 1_000_000

export const ProcessExit = z.strictObject({
  agentId: Id,
  projectId: Id,
  /** Processes of the pair that the reporter has left. */
  remainingProcesses: z.int().min(0).max(maxProcesses),
  launchId: Id.nullish(),
  exitCode: z.int().nullish(),
  signal: line(40).nullish(),
  /** The reporter's id; repeating it has no effect (PX6). */
  reportId: Id.nullish(),
  epoch: z.int().min(0).nullish(),
})
export type ProcessExit = z.output<typeof ProcessExit>

export const ProcessExitAnswer = z.object({
  decision: z.enum(['ended', 'nothing', 'judging', 'duplicate']),
  ended: z.array(z.string()),
})
export type ProcessExitAnswer = z.output<typeof ProcessExitAnswer>
