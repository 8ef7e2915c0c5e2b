/** Everything a work session has, as rows (CK2): for the mirror, and for whoever builds a store from it. */
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import { selectWorkSession, type WorkSessionRow } from './work-sessions.ts'

const tasks = statement<{ id: string }>()((db, p) =>
  db.selectFrom('tasks').selectAll().where('session_id', '=', p.id).orderBy('created_at').orderBy('id'),
)
const approvals = statement<{ id: string }>()((db, p) =>
  db.selectFrom('human_approvals').selectAll().where('session_id', '=', p.id).orderBy('id'),
)
const approaches = statement<{ id: string }>()((db, p) =>
  db.selectFrom('approaches').selectAll().where('session_id', '=', p.id).orderBy('recorded_at').orderBy('id'),
)
const checkpoints = statement<{ id: string }>()((db, p) =>
  db.selectFrom('checkpoints').selectAll().where('session_id', '=', p.id).orderBy('number'),
)
const artifacts = statement<{ id: string }>()((db, p) =>
  db.selectFrom('artifacts').selectAll().where('session_id', '=', p.id).orderBy('name'),
)
const owner = statement<{ agentSessionId: string }>()((db, p) =>
  db.selectFrom('agent_sessions').select('agent_id').where('id', '=', p.agentSessionId),
)

export interface WorkSessionRows {
  readonly workSession: WorkSessionRow
  /** Who drives it; null when nobody does. */
  readonly ownerAgentId: string | null
  readonly tasks: readonly Tables['tasks'][]
  readonly approvals: readonly Tables['human_approvals'][]
  /** Its own. */
  readonly approaches: readonly Tables['approaches'][]
  readonly checkpoints: readonly Tables['checkpoints'][]
  readonly artifacts: readonly Tables['artifacts'][]
}

/** Undefined when it is not there. */
export async function workSessionRows(reader: Reader, id: string): Promise<WorkSessionRows | undefined> {
  const workSession = await reader.first(selectWorkSession, { id })
  if (!workSession) return undefined
  const agentSessionId = workSession.owner_agent_session_id
  return {
    workSession,
    ownerAgentId: (agentSessionId && (await reader.first(owner, { agentSessionId }))?.agent_id) || null,
    tasks: await reader.all(tasks, { id }),
    approvals: await reader.all(approvals, { id }),
    approaches: await reader.all(approaches, { id }),
    checkpoints: await reader.all(checkpoints, { id }),
    artifacts: await reader.all(artifacts, { id }),
  }
}

/** Those of a whole lineage, oldest first. */
export async function approachesAlong(reader: Reader, lineage: readonly string[]): Promise<Tables['approaches'][]> {
  const rows: Tables['approaches'][] = []
  for (const id of lineage.toReversed()) rows.push(...(await reader.all(approaches, { id })))
  return rows
}
