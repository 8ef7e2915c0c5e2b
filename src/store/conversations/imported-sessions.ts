/** Queries about sessions of agents' own that were taken in (IM). */
import type { Instant } from '../../domain/instant.ts'
import type { PastAgent } from '../../protocol/conversations/past-session.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import { statement } from '../statement.ts'

export const selectImportedPage = statement<
  PageParams & { accountId: string; agent: string; ofAny: number }
>()((db, p) =>
  pageOf(
    db
      .selectFrom('imported_sessions')
      .selectAll()
      .where('account_id', '=', p.accountId)
      .where((eb) => eb.or([eb('agent', '=', p.agent as PastAgent), eb(eb.val(p.ofAny), '=', 1)])),
    p,
    'created_at',
    'conversation_key',
  ),
)

export const selectImportedBy = statement<{ key: string }>()((db, p) =>
  db.selectFrom('imported_sessions').selectAll().where('conversation_key', '=', p.key).limit(1),
)

/** Those of which nothing was continued here: no turn of theirs was opened by an agent of ours. */
export const selectUntouched = statement<{ accountId: string; agent: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('imported_sessions')
      .innerJoin('conversations', 'conversations.key', 'imported_sessions.conversation_key')
      .select('conversations.key')
      .where('imported_sessions.account_id', '=', p.accountId)
      .where('imported_sessions.agent', '=', p.agent as PastAgent)
      .where('imported_sessions.state', '=', 'taken')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('turns')
              .select('turns.id')
              .whereRef('turns.conversation_key', '=', 'conversations.key')
              .where('turns.launch_id', 'is not', null),
          ),
        ),
      )
      .orderBy('conversations.key')
      .limit(p.limit),
)

/** Turns that ran here in a time; those that were taken in have no launch. */
export const selectOwnTurns = statement<{ key: string; from: Instant; to: Instant }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['id', 'content', 'started_at', 'ended_at'])
    .where('conversation_key', '=', p.key)
    .where('launch_id', 'is not', null)
    .where('created_at', '<=', p.to)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', p.from)])),
)

/** What was said before it was given a project. */
export const giveTurnsProject = statement<{ key: string; projectId: string }>()((db, p) =>
  db
    .updateTable('turns')
    .set({ project_id: p.projectId })
    .where('conversation_key', '=', p.key)
    .where('project_id', '=', ''),
)

export const giveMessagesProject = statement<{ key: string; projectId: string }>()((db, p) =>
  db
    .updateTable('messages')
    .set({ project_id: p.projectId })
    .where('conversation_key', '=', p.key)
    .where('project_id', 'is', null),
)

/** Contexts that stand for a session of an agent's own, which is nobody's to delete here. */
export const detachSession = statement<{ key: string; acpSessionId: string }>()((db, p) =>
  db
    .updateTable('contexts')
    .set({ acp_session_id: null, fork_of: null })
    .where('conversation_key', '=', p.key)
    .where((eb) =>
      eb.or([eb('acp_session_id', '=', p.acpSessionId), eb('fork_of', '=', p.acpSessionId)]),
    ),
)
