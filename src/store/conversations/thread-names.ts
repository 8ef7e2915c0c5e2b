/** Queries about the names that people's editors give the sessions they begin (AH3). */
import { statement } from '../statement.ts'

/** The first that was given; another window may have given a second. */
export const selectNameOf = statement<{ key: string; personId: string }>()((db, p) =>
  db
    .selectFrom('session_names')
    .select('name')
    .where('conversation_key', '=', p.key)
    .where('person_id', '=', p.personId)
    .orderBy('created_at')
    .orderBy('name')
    .limit(1),
)
