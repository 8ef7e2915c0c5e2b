/** Queries about the names that people's editors give the sessions they begin (AH3). */
import { statement } from '../statement.ts'

/** The first that was given; another window may have given a second. */
export const selectNameOf = statement<{ key: string; personId: string }>()((db, p) =>
  db
    .selectFrom('session_names')
    .select('name')
    .where('conversation_key', '=', p.key)
    .where('person_id', '=', p.personId)
    .where('name', 'not like', '%#%')
    .orderBy('created_at')
    .orderBy('name')
    .limit(1),
)

/** Names that begin with this, up to and without `end`. */
export const selectNamesFrom = statement<{
  begin: string
  end: string
  personId: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('session_names')
    .select(['name', 'conversation_key'])
    .where('person_id', '=', p.personId)
    .where('name', '>=', p.begin)
    .where('name', '<', p.end)
    .orderBy('name')
    .limit(p.limit),
)
