/** Finds and creates work sessions, and sets which agent session owns one. */

import { Refusal } from '../../domain/errors.ts'
import { workSessionId } from '../../domain/ids.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { home, projectStream } from '../../domain/stream-name.ts'
import { newRow } from '../../store/rows.ts'
import type { Context, Reader, Tx } from '../../store/store.ts'
import { type WorkSessionRow, workSessionOf } from '../../store/work/work-sessions.ts'
import { noSuchProject, noSuchWorkSession } from '../refusals.ts'

interface Place {
  readonly projectId: string
  readonly workSessionId: string
}

/** A work session of a project. Another project's is not found. */
export async function existingWorkSession(reader: Reader, { projectId, workSessionId }: Place): Promise<WorkSessionRow> {
  if (!(await reader.row('projects', { id: projectId }))) throw noSuchProject(projectId)
  const row = await reader.row('sessions', { id: workSessionId })
  if (row?.project_id !== projectId) throw noSuchWorkSession(workSessionId)
  return row
}

/** The random part has two thousand million values a second, so this many collisions mean broken randomness. */
const maxIdTries = 10

type Beginning = Pick<WorkSessionRow, 'project_id'> & Partial<Omit<WorkSessionRow, 'id' | 'started_at' | 'ended_at'>>

/**
 * Creates a work session for a person (`create-work-session`) or an agent that starts work (WK4), and announces it. The calling
 * use case locks `home` and the project's stream.
 */
export async function beginWorkSession(tx: Tx, beginning: Beginning, context: Context): Promise<WorkSessionRow> {
  const row = newRow('sessions', { ...beginning, id: await freeId(tx, context), started_at: context.now })
  await tx.insert('sessions', row)
  const event = { type: 'work-session-started', data: { workSession: workSessionOf(row) } } as const
  tx.append(projectStream(row.project_id), event, [home])
  return row
}

async function freeId(reader: Reader, { now, random }: Context): Promise<string> {
  for (let tries = 0; tries < maxIdTries; tries++) {
    const id = workSessionId(now, random.text)
    if (!(await reader.row('sessions', { id }))) return id
  }
  throw new Refusal('internal', refusalText('noFreeWorkId', { tries: maxIdTries }))
}

/**
 * Makes an agent session the owner of a work session (WK4), which then ends with it (AS9), unless another live agent session
 * owns it.
 */
export async function takeOwnership(tx: Tx, workSessionId: string, agentSessionId: string): Promise<void> {
  const row = await tx.row('sessions', { id: workSessionId })
  if (!row || row.ended_at !== null || row.owner_agent_session_id === agentSessionId) return
  const owner = row.owner_agent_session_id && (await tx.row('agent_sessions', { id: row.owner_agent_session_id }))
  if (owner && owner.state !== 'ended') return
  await tx.update('sessions', { ...row, owner_agent_session_id: agentSessionId })
}
