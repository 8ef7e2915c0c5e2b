/** The tasks of a work session that are neither completed nor failed (RS1), without reading those that are. */
import { sql } from 'kysely'
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

/** Said in the query, not as parameters, so that the index of what is unfinished is used. */
const completed = sql.lit<Tables['tasks']['status']>('completed')
const failed = sql.lit<Tables['tasks']['status']>('failed')

/** Newest first. */
export const selectUnfinished = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('tasks')
    .selectAll()
    .where('session_id', '=', p.workSessionId)
    .where('status', '<>', completed)
    .where('status', '<>', failed)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)
