/**
 * Reads the files of a work session (CK4), written by Holdfast or by another program. Missing
 * fields count as empty and unknown fields are ignored. A file of a newer version, or with an
 * invalid field, is refused as a whole.
 */
import * as z from 'zod'
import { type ApproachKind, approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { checked } from '../checked-input.ts'
import { checkSchemaVersion, schemaVersion } from '../schema-version.ts'
import { anyLine } from '../text.ts'
import { ApproachesFile, type ListedApproach } from './approaches-file.ts'
import { FileTime, FolderId, RemainingTasksFile, StateCheckpoint } from './state-checkpoint.ts'
import { WorkSessionFile } from './work-session-file.ts'

/** Other programs leave the zone out; then it is UTC, on every machine the same. */
const utc = (at: string): string =>
  new Date(/(Z|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`).toISOString()

const version = { schema_version: true } as const
const Checkpoint = StateCheckpoint.omit(version)
const Approaches = ApproachesFile.omit({ ...version, session_id: true }).partial({
  last_updated: true,
})
const Remaining = RemainingTasksFile.pick({ remaining_tasks: true })
const WorkSession = WorkSessionFile.omit(version)
const Project = z.object({
  id: FolderId,
  name: anyLine(200),
  path: z.string().nullish(),
  settings: z.record(z.string().max(100), z.unknown()).default({}),
  created_at: FileTime.transform(utc),
})

/** The content of each file, parsed as JSON and not yet checked. */
export const WorkSessionFiles = z.strictObject({
  project: z.unknown().optional(),
  checkpoint: z.unknown(),
  approaches: z.unknown().optional(),
  remainingTasks: z.unknown().optional(),
  workSession: z.unknown().optional(),
})
export type WorkSessionFiles = z.output<typeof WorkSessionFiles>

export type ReadApproach = ListedApproach & { readonly kind: ApproachKind }

export interface ReadWorkSession {
  readonly project: z.output<typeof Project> | null
  readonly checkpoint: z.output<typeof Checkpoint>
  /** Null when there was no such file. */
  readonly approaches: readonly ReadApproach[] | null
  /**
   * The rows of `work_session.json`; null when that file is missing or belongs to another work
   * session.
   */
  readonly rows: WorkSessionFile | null
}

/**
 * The name of each file. `project.json` lies in the folder of the project, the others in the folder
 * of the work session.
 */
export const workSessionFileNames = {
  project: 'project.json',
  checkpoint: 'state_checkpoint.json',
  approaches: 'approaches.json',
  remainingTasks: 'remaining_tasks.json',
  workSession: 'work_session.json',
} as const satisfies Record<keyof WorkSessionFiles, string>

/** Throws `invalid_request` or `unknown_schema_version`. */
export function readWorkSession(files: WorkSessionFiles): ReadWorkSession {
  const read = <Schema extends z.ZodType>(
    fileKind: keyof WorkSessionFiles,
    schema: Schema,
  ): z.output<Schema> | null => {
    const file = files[fileKind]
    if (file === undefined || file === null) return null
    checkSchemaVersion(
      workSessionFileNames[fileKind],
      (file as { schema_version?: unknown }).schema_version,
    )
    return checked(schema, file, workSessionFileNames[fileKind])
  }
  const checkpoint =
    read('checkpoint', Checkpoint) ??
    checked(Checkpoint, files.checkpoint, workSessionFileNames.checkpoint)
  const { error } = checkpoint
  const remaining = read('remainingTasks', Remaining)
  const taskIds = new Set(
    [...checkpoint.pending_tasks, ...checkpoint.remaining_tasks].map(({ task_id }) => task_id),
  )
  const more = remaining?.remaining_tasks.filter(({ task_id }) => !taskIds.has(task_id)) ?? []
  const listed = read('approaches', Approaches)
  const rows = read('workSession', WorkSession)
  return {
    project: read('project', Project),
    checkpoint: {
      ...checkpoint,
      timestamp: utc(checkpoint.timestamp),
      remaining_tasks: [...checkpoint.remaining_tasks, ...more],
      error: error ? { ...error, at: utc(error.at) } : null,
    },
    approaches:
      listed && approachKinds.flatMap((kind) => listed[kind].map((each) => ({ ...each, kind }))),
    rows:
      rows?.work_session.id === checkpoint.session_id
        ? { ...rows, schema_version: schemaVersion }
        : null,
  }
}
