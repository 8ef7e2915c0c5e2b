/** Chats whose agent is at its vendor's limit (AG6, CH12): at most one row a chat, gone when its agent has answered again. */
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

export type ChatLimitRow = Tables['chat_limits']

export const keepChatLimit = statement<ChatLimitRow>()((db, p) =>
  db
    .insertInto('chat_limits')
    .values({
      conversation_key: p.conversation_key,
      project_id: p.project_id,
      agent_id: p.agent_id,
      held: p.held,
      limited_until: p.limited_until,
      goes_on_by: p.goes_on_by,
      goes_on_left: p.goes_on_left,
    })
    .onConflict((conflict) =>
      conflict
        .column('conversation_key')
        .doUpdateSet({ held: p.held, limited_until: p.limited_until, goes_on_by: p.goes_on_by, goes_on_left: p.goes_on_left }),
    ),
)

export const selectChatLimit = statement<{ key: string }>()((db, p) =>
  db.selectFrom('chat_limits').selectAll().where('conversation_key', '=', p.key),
)

export const deleteChatLimit = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('chat_limits').where('conversation_key', '=', p.key),
)

/** Those that are over. */
export const selectChatLimitsUntil = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('chat_limits')
    .select(['conversation_key', 'project_id'])
    .where('limited_until', '<=', p.until)
    .orderBy('limited_until')
    .limit(p.limit),
)
