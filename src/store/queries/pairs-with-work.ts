/**
 * Which agents have something to do in which project, of those that a coordinator can start: found from the assignments, so that it
 * costs the same however much is waiting. Whether one is started is decided elsewhere.
 */
import { type Kysely, sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import type { Pair } from './agent-sessions.ts'

export interface PairsFilter {
  readonly projectId?: string | undefined
  readonly agentId?: string | undefined
}

interface PairsPage extends PairsFilter {
  /** The last one seen. */
  readonly after?: Pair | undefined
  /** A panel that was opened before counts no more. */
  readonly openedAfter: Instant
  readonly limit: number
}

export async function pairsWithWork(reader: Reader, page: PairsPage): Promise<Pair[]> {
  const rows = await reader.query((db) => selectPairs(db, page))
  return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id }))
}

function selectPairs(db: Kysely<Tables>, { projectId, agentId, after, openedAfter, limit }: PairsPage) {
  let pairs = db
    .selectFrom('assignments as pair')
    .innerJoin('agents', 'agents.id', 'pair.agent_id')
    .select(['pair.project_id', 'pair.agent_id'])
    .where('agents.command', 'is not', null)
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('unread_messages as unread')
            .select('unread.seq')
            .whereRef('unread.agent_id', '=', 'pair.agent_id')
            .whereRef('unread.project_id', '=', 'pair.project_id'),
        ),
        eb.exists(
          eb
            .selectFrom('pending_purposes as wish')
            .select('wish.created_at')
            .whereRef('wish.agent_id', '=', 'pair.agent_id')
            .whereRef('wish.project_id', '=', 'pair.project_id')
            .where('wish.created_at', '>', openedAfter),
        ),
        eb.exists(
          eb
            .selectFrom('tasks')
            .select('tasks.id')
            .whereRef('tasks.assigned_to', '=', 'pair.agent_id')
            .whereRef('tasks.project_id', '=', 'pair.project_id')
            .where('tasks.status', '=', sql.lit<Tables['tasks']['status']>('in_progress')),
        ),
      ]),
    )
    .orderBy('pair.project_id')
    .orderBy('pair.agent_id')
    .limit(limit)
  if (projectId !== undefined) pairs = pairs.where('pair.project_id', '=', projectId)
  if (agentId !== undefined) pairs = pairs.where('pair.agent_id', '=', agentId)
  if (after)
    pairs = pairs.where((eb) =>
      eb(eb.refTuple('pair.project_id', 'pair.agent_id'), '>', eb.tuple(after.projectId, after.agentId)),
    )
  return pairs
}
