/** Queries about tokens for hosts and the addresses that work is pushed to (LD7). */
import { statement } from '../statement.ts'

/** A person's own, and those of projects. */
export const selectHostsOf = statement<{ personId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('host_tokens')
    .selectAll()
    .where('person_id', 'in', ['', p.personId])
    .orderBy('host')
    .orderBy('project_id')
    .limit(p.limit),
)

export const selectRemotes = statement<{ limit: number }>()((db, p) =>
  db.selectFrom('project_remotes').selectAll().orderBy('set_at', 'desc').limit(p.limit),
)
