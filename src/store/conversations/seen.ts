/** How far people have read conversations (UI1). */
import { sql } from 'kysely'
import { deleteBy, selectColumns } from '../rows.ts'
import { statement } from '../statement.ts'

interface Seen {
  readonly key: string
  readonly personId: string
  readonly seq: number
}

export const keepSeen = statement<Seen>()((db, p) =>
  db
    .insertInto('seen_conversations')
    .values({ person_id: p.personId, conversation_key: p.key, seq: p.seq })
    .onConflict((conflict) =>
      conflict
        .columns(['person_id', 'conversation_key'])
        .doUpdateSet({ seq: p.seq })
        .where(sql.ref('seen_conversations.seq'), '<', p.seq),
    ),
)

export const selectSeen = selectColumns('seen_conversations', { personId: 'person_id', key: 'conversation_key' }, 'seq')

export const deleteSeenOf = deleteBy('seen_conversations', { key: 'conversation_key' })

export const deleteSeenBy = deleteBy('seen_conversations', { personId: 'person_id' })
