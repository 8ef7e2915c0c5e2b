/** Which agent session has written in which conversation between agents, while that is open (CV10). */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'
import { ended, type Pair } from './agent-sessions.ts'

type Row = Tables['open_conversations']

export const insertOpenConversation = statement<Row>()((db, p) =>
  db
    .insertInto('open_conversations')
    .values({ agent_session_id: p.agent_session_id, conversation_key: p.conversation_key })
    .onConflict((conflict) => conflict.doNothing()),
)

export const selectOpenConversation = statement<Row>()((db, p) =>
  db
    .selectFrom('open_conversations')
    .selectAll()
    .where('agent_session_id', '=', p.agent_session_id)
    .where('conversation_key', '=', p.conversation_key),
)

/** What has to be closed when a live session of the pair ends. */
export const selectOpenConversationsOf = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom('agent_sessions')
    .innerJoin('open_conversations', 'open_conversations.agent_session_id', 'agent_sessions.id')
    .select('open_conversations.conversation_key')
    .distinct()
    .where('agent_sessions.agent_id', '=', p.agentId)
    .where('agent_sessions.project_id', '=', p.projectId)
    .where('agent_sessions.state', '<>', ended)
    .orderBy('open_conversations.conversation_key')
    .limit(p.limit),
)

export const deleteOpenConversation = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('open_conversations').where('conversation_key', '=', p.key),
)
