/**
 * The format of `work_session.json`: the rows of a work session, so that a store rebuilt from files
 * (CK4) loses nothing. The other files of CK2 are for people and other programs, and are enough
 * when this one is missing.
 */

import * as z from 'zod'
import { permissionOutcomes } from '../consoles/user-session.ts'
import { schemaVersion } from '../schema-version.ts'
import { withoutNul } from '../text.ts'

const Text = withoutNul(z.string())
const Maybe = Text.nullable()
const Whole = z.int()
/** A number that the next one is derived from, so it must be far below the limit. */
const Counted = z.int().min(0).max(1_000_000_000)
const At = z.iso.datetime({ precision: 3 })
const MaybeAt = At.nullable()

/** A column with JSON; text that could not be parsed later is refused. */
const json = (isFine: (value: unknown) => boolean = () => true) =>
  Text.refine((text) => {
    try {
      return isFine(JSON.parse(text))
    } catch {
      return false
    }
  }, 'is not the JSON that belongs there')
const Json = json().nullable()
const JsonList = json(Array.isArray)
const JsonTexts = json(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
)

const WorkSessionRow = z.object({
  id: Text,
  project_id: Text,
  parent_session_id: Maybe,
  started_at: At,
  ended_at: MaybeAt,
  interruption_reason: Maybe,
  current_phase: Whole.nullable(),
  current_agent_role: Maybe,
  current_agent_type: Maybe,
  current_task_id: Maybe,
  context_summary: Maybe,
  resumed_by: Maybe,
  resume_failures: Whole,
  set_aside: Maybe,
  error: Json,
  /** Not in files of earlier builds. */
  dismissed_at: MaybeAt.default(null),
})

const TaskRow = z.object({
  project_id: Text,
  id: Text,
  session_id: Maybe,
  phase: Whole,
  task_type: Text,
  title: Text,
  description: Maybe,
  status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'blocked']),
  progress_percent: Whole,
  assigned_to: Maybe,
  depends_on: JsonTexts,
  blocked_by: Maybe,
  started_at: MaybeAt,
  completed_at: MaybeAt,
  result: Json,
  created_at: At,
  updated_at: At,
})

const ApprovalRow = z.object({
  id: Counted,
  session_id: Maybe,
  project_id: Text,
  checkpoint_type: Text,
  leader_id: Text,
  task_id: Maybe,
  status: z.enum(['pending', 'approved', 'rejected', 'revision_requested']),
  submitted_at: At,
  resolved_at: MaybeAt,
  decided_by: Maybe,
  feedback: Maybe,
  instruction_content: Maybe,
  worker_instructions: JsonList,
  artifacts: JsonList,
  revision_history: JsonList,
  /** AP4: the request and its outcome; the requesting process no longer exists. */
  outcome: z.enum(permissionOutcomes).nullable(),
  digest: Maybe,
  options: Json,
  tool_call: Json,
  option_id: Maybe,
  role: Maybe,
  deadline: MaybeAt,
})

const Kind = z.enum(['verified', 'failed', 'untried'])
const Bit = z.int().min(0).max(1)

const ApproachRow = z.object({
  project_id: Text,
  id: Text,
  session_id: Text,
  kind: Kind,
  first_kind: Kind,
  number: Counted,
  date: Text,
  category: Text,
  description: Text,
  details: Json,
  evidence: Json,
  learnings: JsonTexts,
  reusable: Bit,
  failure_reason: Maybe,
  error: Maybe,
  avoid: Bit,
  priority: Maybe,
  next_to_try: Bit,
  note: Maybe,
  history: JsonList,
  recorded_at: At,
  updated_at: At,
})

const CheckpointRow = z.object({
  session_id: Text,
  number: Counted,
  at: At,
  reason: z.enum([
    'task_completed',
    'approval_decided',
    'approach_recorded',
    'error',
    'periodic',
    'ended',
    'asked',
  ]),
  subject: Maybe,
  error: Json,
})

const ArtifactFacts = z.object({
  name: Text,
  size: Whole,
  media_type: Text,
  sha256: Text,
  created_at: At,
  updated_at: At,
})

export const WorkSessionFile = z.object({
  schema_version: z.literal(schemaVersion),
  work_session: WorkSessionRow,
  tasks: z.array(TaskRow),
  approvals: z.array(ApprovalRow),
  /** Without inherited ones, which are in the files of its ancestors. */
  approaches: z.array(ApproachRow),
  checkpoints: z.array(CheckpointRow),
  artifacts: z.array(ArtifactFacts),
  /** CK6: the changes since its end; the three other files have the state at its end. */
  since: z
    .object({
      /** The descendant that completed the work; null while none has. */
      completed_in: Maybe,
      /** Tasks that moved to other work sessions, with their current state. */
      tasks: z.array(TaskRow),
    })
    .default({ completed_in: null, tasks: [] }),
})
export type WorkSessionFile = z.output<typeof WorkSessionFile>
