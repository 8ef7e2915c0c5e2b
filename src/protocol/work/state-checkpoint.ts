/** `state_checkpoint.json` and `remaining_tasks.json` (CK2), to the letter of docs/spec/background/continuity.md. */
import * as z from 'zod'
import { schemaVersion } from '../schema-version.ts'

/** Files may be of other programs, so any precision will do; we write milliseconds. */
export const FileTime = z.iso.datetime({ offset: true })
const Text = z.string()

const RemainingTask = z.object({ task_id: Text, status: z.literal('pending') })

export const StateCheckpoint = z.object({
  schema_version: z.literal(schemaVersion),
  project_id: Text,
  session_id: Text,
  timestamp: FileTime,
  interruption_reason: Text.nullable(),
  current_state: z.object({
    phase: z.int().nullable(),
    active_agent: z.object({ role: Text.nullable(), type: Text.nullable(), agent_id: Text.nullable() }).nullable(),
    active_task: z.object({ task_id: Text, name: Text, progress_percent: z.int().min(0).max(100) }).nullable(),
  }),
  completed_tasks: z.array(
    z.object({ task_id: Text, status: z.enum(['completed', 'approved']).describe('approved: by a person') }),
  ),
  pending_tasks: z.array(
    z.union([
      z.object({ task_id: Text, status: z.literal('in_progress'), progress: z.int().min(0).max(100) }),
      z.object({ task_id: Text, status: z.literal('blocked'), blocked_by: Text.nullable() }),
    ]),
  ),
  remaining_tasks: z.array(RemainingTask),
  context_summary: Text.nullable(),
  error: z.object({ code: Text, message: Text, at: FileTime }).optional().describe('The last error, after one'),
})
export type StateCheckpoint = z.output<typeof StateCheckpoint>

export const RemainingTasksFile = z.object({
  schema_version: z.literal(schemaVersion),
  session_id: Text,
  last_updated: FileTime,
  remaining_tasks: z.array(RemainingTask),
})
export type RemainingTasksFile = z.output<typeof RemainingTasksFile>
