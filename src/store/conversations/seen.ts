/** How far people have read conversations (UI1). */
import { sql } from 'kysely'
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

export const selectSeen = statement<Omit<Seen, 'seq'>>()((db, p) =>
  db.selectFrom('seen_conversations').select('seq').where('person_id', '=', p.personId).where('conversation_key', '=', p.key),
)

export const deleteSeenOf = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('seen_conversations').where('conversation_key', '=', p.key),
)

export const deleteSeenBy = statement<{ personId: string }>()((db, p) =>
  db.deleteFrom('seen_conversations').where('person_id', '=', p.personId),
)
