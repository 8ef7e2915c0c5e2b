/** Panels that were opened and that no agent session has taken up yet (AS3). */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type Pair = Omit<Tables['pending_purposes'], 'created_at'>

export const selectPurpose = statement<Pair>()((db, p) =>
  db
    .selectFrom('pending_purposes')
    .select('created_at')
    .where('agent_id', '=', p.agent_id)
    .where('project_id', '=', p.project_id),
)

/** Opened again, it counts from now. */
export const keepPurpose = statement<Tables['pending_purposes']>()((db, p) =>
  db
    .insertInto('pending_purposes')
    .values({ agent_id: p.agent_id, project_id: p.project_id, created_at: p.created_at })
    .onConflict((conflict) => conflict.columns(['agent_id', 'project_id']).doUpdateSet({ created_at: p.created_at })),
)

export const deletePurpose = statement<Pair>()((db, p) =>
  db.deleteFrom('pending_purposes').where('agent_id', '=', p.agent_id).where('project_id', '=', p.project_id),
)
