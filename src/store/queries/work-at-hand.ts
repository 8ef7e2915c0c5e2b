/** The messages an agent session has before it, counted only as far as anybody needs to know, so that a flood of them costs no more. */
import { sql } from 'kysely'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Pair } from './agent-sessions.ts'

/** Beyond this it is only said that there are so many. */
export const countedUpTo = 1000

const count = sql<number>`count(*)`.as('count')

const countUnread = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('unread_messages')
        .select('seq')
        .where('agent_id', '=', p.agentId)
        .where('project_id', '=', p.projectId)
        .limit(p.limit)
        .as('few'),
    )
    .select(count),
)

export const unreadOf = async (reader: Reader, { agentId, projectId }: Pair): Promise<number> =>
  (await reader.first(countUnread, { agentId, projectId, limit: countedUpTo }))?.count ?? 0
