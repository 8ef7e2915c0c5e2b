/** Builds the files of a work session (CK2) from its rows, in the layout of docs/spec/background/continuity.md. */

import { schemaVersion } from '../protocol/schema-version.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import type { RemainingTasksFile, StateCheckpoint } from '../protocol/work/state-checkpoint.ts'
import type { WorkSessionFile } from '../protocol/work/work-session-file.ts'
import type { Tables } from '../store/schema/tables.ts'
import { approachFrom } from '../store/work/approaches.ts'
import type { WorkSessionRows } from '../store/work/work-session-state.ts'
import { newestOf } from '../store/work/work-session-state.ts'

export const remainingTasksFile = ({ session_id, timestamp, remaining_tasks }: StateCheckpoint): RemainingTasksFile => ({
  schema_version: schemaVersion,
  session_id,
  last_updated: timestamp,
  remaining_tasks,
})

/** Includes inherited approaches, so that one folder is enough to continue the work (AR2). */
export function approachesFile({ workSession }: WorkSessionRows, approaches: readonly Tables['approaches'][]): ApproachesFile {
  const all = approaches.map(approachFrom)
  const of = (kind: 'verified' | 'failed' | 'untried') => all.filter((each) => each.kind === kind)
  return {
    schema_version: schemaVersion,
    session_id: workSession.id,
    last_updated: newestOf(workSession.started_at, ...approaches.map(({ updated_at }) => updated_at)),
    verified: of('verified').map(({ id, date, category, description, details, evidence, learnings, reusable }) => ({
      ...{ id, date, category, description, details, evidence },
      learnings: [...learnings],
      reusable,
    })),
    failed: of('failed').map(({ id, date, category, description, details, failureReason, error, learnings, avoid }) => ({
      ...{ id, date, category, description, details, failure_reason: failureReason, error },
      learnings: [...learnings],
      avoid,
    })),
    untried: of('untried').map(({ id, category, description, details, priority, nextToTry, note }) => ({
      ...{ id, category, description, details, priority, next_to_try: nextToTry },
      ...(note !== null && { note }),
    })),
  }
}

const withoutProcesses = ({
  asked_by_agent_session_id: _,
  ask_id: __,
  launch_id: ___,
  turn_id: ____,
  user_session_id: _____,
  likeness: ______,
  imported_decider: _______,
  told_to: ________,
  conversation_key: _________,
  ...approval
}: Tables['human_approvals']): WorkSessionFile['approvals'][number] => approval

/** Leaves out the driving agent and waiting callers: they are processes, which a rebuilt store does not have. */
export function workSessionFile(rows: WorkSessionRows, since: WorkSessionFile['since']): WorkSessionFile {
  const { owner_agent_session_id: _, file_problem: __, ...workSession } = rows.workSession
  return {
    schema_version: schemaVersion,
    work_session: workSession,
    tasks: [...rows.tasks],
    approvals: rows.approvals.map(withoutProcesses),
    approaches: [...rows.approaches],
    // The state is in state_checkpoint.json.
    checkpoints: rows.checkpoints.map(({ state: __, ...checkpoint }) => checkpoint),
    artifacts: rows.artifacts.map(({ session_id: __, folded_name: ___, upload_id: ____, ...facts }) => facts),
    since,
  }
}
