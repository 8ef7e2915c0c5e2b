/**
 * The format of `state_checkpoint.json` and `remaining_tasks.json` (CK2), as in
 * docs/spec/background/continuity.md. Files of other programs may leave fields out: parsing fills
 * them in, and returns a file of ours unchanged.
 */
import * as z from 'zod'
import { schemaVersion } from '../schema-version.ts'
import { anyLine, longText } from '../text.ts'

const maxTasks = 100_000

/**
 * Holdfast writes milliseconds in UTC. Other programs may write any precision and leave the zone
 * out.
 */
export const FileTime = z.iso.datetime({ offset: true, local: true })
/** The id of a project or work session: it is also the name of a folder. */
export const FolderId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'is no id of ours')
export const FileId = anyLine(200)
export const FileText = longText(100_000)
const Percent = z.number().min(0).max(100)

/** Null when the file leaves it out. */
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null)

const listOf = (statuses: string) =>
  z
    .array(
      z.object({
        task_id: FileId,
        status: anyLine(50).describe(statuses),
        progress: Percent.optional().describe('Of one in progress'),
        blocked_by: FileId.nullish().describe('Of a blocked one'),
      }),
    )
    .max(maxTasks)
    .default([])
const RemainingTasks = listOf('pending')

export const StateCheckpoint = z.object({
  schema_version: z.literal(schemaVersion),
  project_id: FolderId,
  session_id: FolderId,
  timestamp: FileTime,
  interruption_reason: maybe(anyLine(200)),
  current_state: maybe(
    z.object({
      phase: maybe(z.int().min(0)),
      active_agent: maybe(
        z.object({ role: maybe(anyLine(200)), type: maybe(anyLine(200)), agent_id: maybe(FileId) }),
      ),
      active_task: maybe(
        z.object({ task_id: FileId, name: maybe(FileText), progress_percent: maybe(Percent) }),
      ),
    }),
  ),
  completed_tasks: listOf('completed, or approved when a person approved it'),
  pending_tasks: listOf('in_progress or blocked; failed when nothing else is left'),
  remaining_tasks: RemainingTasks,
  context_summary: maybe(FileText),
  error: z
    .object({ code: anyLine(200), message: FileText, at: FileTime })
    .nullish()
    .describe('The last error, after one'),
})
export type StateCheckpoint = z.output<typeof StateCheckpoint>

const identity = [
  'project_id',
  'session_id',
  'timestamp',
] as const satisfies (keyof StateCheckpoint)[]

/** Whether a JSON file of any name claims to be a checkpoint. */
export const looksLikeCheckpoint = (content: unknown): boolean =>
  identity.every(
    (name) => typeof (content as Partial<StateCheckpoint> | null | undefined)?.[name] === 'string',
  )

export const RemainingTasksFile = z.object({
  schema_version: z.literal(schemaVersion),
  session_id: z.string(),
  last_updated: FileTime,
  remaining_tasks: RemainingTasks,
})
export type RemainingTasksFile = z.output<typeof RemainingTasksFile>
