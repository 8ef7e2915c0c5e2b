/** Queries about processes of ACP agents that are ready for a turn (CH12). */
import { type Kysely, sql } from 'kysely'
import { above, from, not, present, selectColumns } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { launchEnded } from './launches.ts'

/** Closes processes that can hold one conversation, and hold this one, to every other: they know what was deleted. */
export const closeLimitedHolders = statement<{ key: string }>()((db, p) =>
  db
    .updateTable('launches')
    .set({ context_limit: 0 })
    .where('context_limit', '=', 1)
    .where('id', 'in', (of) =>
      of
        .selectFrom('contexts')
        .select(sql<string>`launch_id`.as('id'))
        .where('conversation_key', '=', p.key)
        .where('launch_id', 'is not', null)
        .where('state', '<>', sql.lit('ended')),
    ),
)

export const selectAgentName = selectColumns('launches', 'id', 'agent_name')

const selectContextLimit = selectColumns('launches', 'id', 'context_limit', 'ready_at')

/**
 * How many contexts a process can hold; null: any number; 0: its one conversation was deleted. A process in a role since before contexts
 * had names holds its own alone.
 */
export async function contextLimit(reader: Reader, id: string): Promise<number | null> {
  const row = await reader.first(selectContextLimit, { id })
  return row && row.ready_at === null ? 1 : (row?.context_limit ?? null)
}

export interface ReadyLaunch {
  readonly launchId: string
  readonly agentId: string
  readonly projectId: string
  readonly coordinatorId: string
}

interface ReadyPage {
  /** Left out: of all. */
  readonly projectId?: string | undefined
  /** The last one seen. */
  readonly after: string
  readonly limit: number
}

const ready = (db: Kysely<Tables>, after: string, limit: number) =>
  from(
    db,
    'launches',
    { ready_at: present, state: not(launchEnded), role_agent_id: null, stop_reason: null, id: above(after) },
    'id',
  )
    .select(['id', 'agent_id', 'project_id', 'coordinator_id'])
    .limit(limit)

const selectReady = statement<ReadyPage>()((db, p) => ready(db, p.after, p.limit))
const selectReadyIn = statement<ReadyPage & { projectId: string }>()((db, p) =>
  ready(db, p.after, p.limit).where('project_id', '=', p.projectId),
)

/** Ready launches of a project, or of all, by id. Runs with every message. */
export async function readyLaunches(reader: Reader, { projectId, ...page }: ReadyPage): Promise<ReadyLaunch[]> {
  const rows =
    projectId === undefined ? await reader.all(selectReady, page) : await reader.all(selectReadyIn, { ...page, projectId })
  return rows.map((row) => ({
    launchId: row.id,
    agentId: row.agent_id,
    projectId: row.project_id,
    coordinatorId: row.coordinator_id,
  }))
}
