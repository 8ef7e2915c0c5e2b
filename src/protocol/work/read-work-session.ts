/**
 * The files of a work session as they are read (CK4), ours or another program's: what is not named is as if it were empty, what is
 * not known is left aside. A file of a newer version, or one that cannot be what it says, is refused whole; nothing is guessed at.
 */
import * as z from 'zod'
import { type ApproachKind, approachKinds } from '../../domain/work/approach-lifecycle.ts'
import { checked } from '../checked-input.ts'
import { checkSchemaVersion, schemaVersion } from '../schema-version.ts'
import { anyLine, longText } from '../text.ts'
import { WorkSessionFile } from './work-session-file.ts'

const maxTasks = 100_000
const maxApproaches = 100_000

const Id = anyLine(200)
/** Becomes the name of a folder. */
const FolderId = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'is no id of ours')
const Words = longText(100_000)
/** Other programs leave the zone out; then it is UTC, on every machine the same. */
const Moment = z.iso
  .datetime({ offset: true, local: true })
  .transform((at) => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(at) ? at : `${at}Z`).toISOString())

const ListedTask = z.object({
  task_id: Id,
  status: anyLine(50),
  progress: z.number().min(0).max(100).optional(),
  blocked_by: Id.nullish(),
})
const Listed = z.array(ListedTask).max(maxTasks).default([])

const Checkpoint = z.object({
  project_id: FolderId,
  session_id: FolderId,
  timestamp: Moment,
  interruption_reason: anyLine(200).nullish(),
  current_state: z
    .object({
      phase: z.int().min(0).nullish(),
      active_agent: z.object({ role: anyLine(200).nullish(), type: anyLine(200).nullish(), agent_id: Id.nullish() }).nullish(),
      active_task: z
        .object({ task_id: Id, name: Words.nullish(), progress_percent: z.number().min(0).max(100).nullish() })
        .nullish(),
    })
    .nullish(),
  completed_tasks: Listed,
  pending_tasks: Listed,
  remaining_tasks: Listed,
  context_summary: Words.nullish(),
  error: z.object({ code: anyLine(200), message: Words, at: Moment }).nullish(),
})

const ListedApproach = z.object({
  id: Id,
  date: z.iso.date().nullish(),
  category: anyLine(200),
  description: Words,
  details: z.unknown().optional(),
  evidence: z.unknown().optional(),
  learnings: z.array(Words).max(1000).default([]),
  reusable: z.boolean().nullish(),
  failure_reason: Words.nullish(),
  error: z.union([Words, z.unknown().transform((value) => (value == null ? null : JSON.stringify(value)))]).nullish(),
  avoid: z.boolean().nullish(),
  priority: anyLine(50).nullish(),
  next_to_try: z.boolean().nullish(),
  note: Words.nullish(),
})

const Approaches = z.object({
  last_updated: Moment.optional(),
  verified: z.array(ListedApproach).max(maxApproaches).default([]),
  failed: z.array(ListedApproach).max(maxApproaches).default([]),
  untried: z.array(ListedApproach).max(maxApproaches).default([]),
})

const Remaining = z.object({ remaining_tasks: Listed })
const Project = z.object({
  id: FolderId,
  name: anyLine(200),
  path: z.string().nullish(),
  settings: z.record(z.string().max(100), z.unknown()).default({}),
  created_at: Moment,
})
const WorkSession = WorkSessionFile.extend({ schema_version: z.string() })

/** What somebody hands over: each file as the JSON it holds. */
export const WorkSessionFiles = z.strictObject({
  project: z.unknown().optional(),
  checkpoint: z.unknown(),
  approaches: z.unknown().optional(),
  remainingTasks: z.unknown().optional(),
  workSession: z.unknown().optional(),
})
export type WorkSessionFiles = z.output<typeof WorkSessionFiles>

export type ReadApproach = z.output<typeof ListedApproach> & { readonly kind: ApproachKind }

export interface ReadWorkSession {
  readonly project: z.output<typeof Project> | null
  readonly checkpoint: z.output<typeof Checkpoint>
  /** null: there was no such file. */
  readonly approaches: readonly ReadApproach[] | null
  /** The rows themselves; null when the file is another program's, or was lost. */
  readonly rows: WorkSessionFile | null
}

const names = {
  project: 'project.json',
  checkpoint: 'state_checkpoint.json',
  approaches: 'approaches.json',
  remainingTasks: 'remaining_tasks.json',
  workSession: 'work_session.json',
} as const satisfies Record<keyof WorkSessionFiles, string>

export function readWorkSession(files: WorkSessionFiles): ReadWorkSession {
  const read = <Schema extends z.ZodType>(which: keyof WorkSessionFiles, schema: Schema): z.output<Schema> | null => {
    const file = files[which]
    if (file === undefined || file === null) return null
    checkSchemaVersion(names[which], (file as { schema_version?: unknown }).schema_version)
    return checked(schema, file, names[which])
  }
  const checkpoint = read('checkpoint', Checkpoint) ?? checked(Checkpoint, files.checkpoint, names.checkpoint)
  const remaining = read('remainingTasks', Remaining)
  const known = new Set([...checkpoint.pending_tasks, ...checkpoint.remaining_tasks].map(({ task_id }) => task_id))
  const more = remaining?.remaining_tasks.filter(({ task_id }) => !known.has(task_id)) ?? []
  const listed = read('approaches', Approaches)
  const rows = read('workSession', WorkSession)
  return {
    project: read('project', Project),
    checkpoint: { ...checkpoint, remaining_tasks: [...checkpoint.remaining_tasks, ...more] },
    approaches: listed && approachKinds.flatMap((kind) => listed[kind].map((each) => ({ ...each, kind }))),
    // One of another work session is none.
    rows: rows?.work_session.id === checkpoint.session_id ? { ...rows, schema_version: schemaVersion } : null,
  }
}
