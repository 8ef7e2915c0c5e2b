/** Processes that can be given a turn, and those for which one waits. */

import type { Kysely } from 'kysely'
import type { Post } from '../agent-sessions/agent-sessions.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { open, queued } from '../turns/turns.ts'
import { launchEnded } from './launches.ts'

export interface ReadyLaunch extends Post {
  readonly launchId: string
  readonly coordinatorId: string
  readonly roleAgentId: string | null
}

interface ReadyPage {
  /** Left out: of all. */
  readonly projectId?: string | undefined
  /** The last one seen. */
  readonly after: string
  readonly limit: number
}

const ready = (db: Kysely<Tables>, after: string, limit: number) =>
  db
    .selectFrom('launches')
    .select(['launches.id', 'agent_id', 'project_id', 'lane', 'coordinator_id', 'role_agent_id'])
    .where('ready_at', 'is not', null)
    .where('state', '<>', launchEnded)
    // In a role there is nothing to do but to begin what waits.
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('launches.role_agent_id', 'is', null),
        exists(
          selectFrom('turns')
            .select('turns.id')
            .whereRef('turns.role_agent_id', '=', 'launches.role_agent_id')
            .where('turns.state', 'in', open)
            .where('turns.state', '=', queued)
            .where('turns.not_before', 'is', null),
        ),
      ]),
    )
    .where('stop_reason', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)

const selectReady = statement<ReadyPage>()((db, p) => ready(db, p.after, p.limit))
const selectReadyIn = statement<ReadyPage & { projectId: string }>()((db, p) =>
  ready(db, p.after, p.limit).where('project_id', '=', p.projectId),
)

/** The process that takes the chats of a post. Read with every message. */
export const selectReadyOfPost = statement<Post>()((db, p) =>
  db
    .selectFrom('launches')
    .select('id')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('lane', '=', p.lane)
    .where('role_agent_id', 'is', null)
    .where('state', '<>', launchEnded)
    .where('ready_at', 'is not', null)
    .where('stop_reason', 'is', null)
    .limit(1),
)

/**
 * Processes of a project that are ready and for which something waits. Read with every end of a
 * turn.
 */
export const selectReadyWithWaiting = statement<{ projectId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .innerJoin('launches', (join) =>
      join
        .onRef('launches.agent_id', '=', 'turns.agent_id')
        .onRef('launches.project_id', '=', 'turns.project_id')
        .onRef('launches.lane', '=', 'turns.lane')
        .on(({ eb, and, or, ref }) =>
          or([
            eb('launches.role_agent_id', '=', ref('turns.role_agent_id')),
            and([eb('launches.role_agent_id', 'is', null), eb('turns.role_agent_id', 'is', null)]),
          ]),
        ),
    )
    .select('launches.id')
    .distinct()
    .where('turns.project_id', '=', p.projectId)
    .where('turns.state', 'in', open)
    .where('turns.state', '=', queued)
    .where('turns.not_before', 'is', null)
    .where('turns.paused', 'is', null)
    .where('launches.state', '<>', launchEnded)
    .where('launches.ready_at', 'is not', null)
    .where('launches.stop_reason', 'is', null)
    .orderBy('launches.id')
    .limit(p.limit),
)

/** Ready launches of a project, or of all, by id. Runs with every message. */
export async function readyLaunches(
  reader: Reader,
  { projectId, ...page }: ReadyPage,
): Promise<ReadyLaunch[]> {
  const rows =
    projectId === undefined
      ? await reader.all(selectReady, page)
      : await reader.all(selectReadyIn, { ...page, projectId })
  return rows.map((row) => ({
    launchId: row.id,
    agentId: row.agent_id,
    projectId: row.project_id,
    lane: row.lane,
    coordinatorId: row.coordinator_id,
    roleAgentId: row.role_agent_id,
  }))
}
