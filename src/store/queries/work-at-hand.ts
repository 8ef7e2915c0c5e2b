/** The messages an agent has before it in a project, counted only as far as anybody needs to know, so that a flood of them costs no more. */
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

/** A turn that is told again by itself, without its messages: they were read when it met the limit, or were never any (AG6, CX6). */
const selectToldAgain = statement<Pair>()((db, p) =>
  db
    .selectFrom('turns')
    .select('id')
    .where('agent_id', '=', p.agentId)
    .where('project_id', '=', p.projectId)
    .where('state', '=', sql.lit('queued'))
    .where('about', '=', sql.lit('chat'))
    .where('not_before', 'is', null)
    .where('content', '<>', '[]')
    .limit(1),
)

export async function unreadOf(reader: Reader, { agentId, projectId }: Pair): Promise<number> {
  const unread = (await reader.first(countUnread, { agentId, projectId, limit: countedUpTo }))?.count ?? 0
  return unread > 0 || !(await reader.first(selectToldAgain, { agentId, projectId })) ? unread : 1
}
