/**
 * The beginning of a work session, for whoever begins one: a person (`create-work-session`) or an agent that starts work
 * (WK4). Told in its project and at home.
 */
import { Refusal } from '../domain/errors.ts'
import { workSessionId } from '../domain/ids.ts'
import { home, projectStream } from '../domain/stream/name.ts'
import { insertWorkSession, selectWorkSession, type WorkSessionRow, workSessionOf } from '../store/queries/work-sessions.ts'
import type { Context, Reader, Tx } from '../store/store.ts'

/** The random part has two thousand million values a second; taken this often in a row means the randomness is broken. */
const maxIdTries = 10

type Beginning = Pick<WorkSessionRow, 'project_id'> & Partial<Omit<WorkSessionRow, 'id' | 'started_at' | 'ended_at'>>

/** The use case names `home` and the project's stream. */
export async function beginWorkSession(tx: Tx, beginning: Beginning, context: Context): Promise<WorkSessionRow> {
  const row: WorkSessionRow = {
    parent_session_id: null,
    ended_at: null,
    interruption_reason: null,
    current_phase: null,
    current_agent_role: null,
    current_agent_type: null,
    current_task_id: null,
    context_summary: null,
    owner_agent_session_id: null,
    resumed_by: null,
    resume_failures: 0,
    set_aside: null,
    file_problem: null,
    error: null,
    dismissed_at: null,
    ...beginning,
    id: await freeId(tx, context),
    started_at: context.now,
  }
  await tx.write(insertWorkSession, row)
  const event = { type: 'work-session-started', data: { workSession: workSessionOf(row) } } as const
  tx.append(projectStream(row.project_id), event, [home])
  return row
}

async function freeId(reader: Reader, { now, random }: Context): Promise<string> {
  for (let tries = 0; tries < maxIdTries; tries++) {
    const id = workSessionId(now, random.text)
    if (!(await reader.first(selectWorkSession, { id }))) return id
  }
  throw new Refusal('internal', `No free id for a work session in ${maxIdTries} tries`)
}
