/** Queries about open chat panels and when each was last seen (CH5). */
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type PanelKey = Omit<Tables['panels'], 'seen_at'>
type Pair = Omit<PanelKey, 'panel_id'>

export const keepPanel = statement<Tables['panels']>()((db, p) =>
  db
    .insertInto('panels')
    .values({ project_id: p.project_id, agent_id: p.agent_id, panel_id: p.panel_id, seen_at: p.seen_at })
    .onConflict((conflict) => conflict.columns(['project_id', 'agent_id', 'panel_id']).doUpdateSet({ seen_at: p.seen_at })),
)

/** The longest unseen first. */
export const selectPanels = statement<Pair & { limit: number }>()((db, p) =>
  db
    .selectFrom('panels')
    .select('panel_id')
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .orderBy('seen_at')
    .limit(p.limit),
)

export const updateSeen = statement<Tables['panels']>()((db, p) =>
  db
    .updateTable('panels')
    .set({ seen_at: p.seen_at })
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .where('panel_id', '=', p.panel_id),
)

/** In any chat. */
export const updateSeenByName = statement<{ panelId: string; now: Instant }>()((db, p) =>
  db.updateTable('panels').set({ seen_at: p.now }).where('panel_id', '=', p.panelId).where('seen_at', '<', p.now),
)

export const updateAllSeen = statement<{ now: Instant }>()((db, p) =>
  db.updateTable('panels').set({ seen_at: p.now }).where('seen_at', '<', p.now),
)

export const selectUnseenSince = statement<{ until: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('panels')
    .select(['project_id', 'agent_id', 'panel_id'])
    .where('seen_at', '<=', p.until)
    .orderBy('seen_at')
    .limit(p.limit),
)

/** Returns the row if there was one. */
export const deletePanelUnseenSince = statement<PanelKey & { until: Instant }>()((db, p) =>
  db
    .deleteFrom('panels')
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .where('panel_id', '=', p.panel_id)
    .where('seen_at', '<=', p.until)
    .returning('panel_id'),
)

export const deletePanel = statement<PanelKey>()((db, p) =>
  db
    .deleteFrom('panels')
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .where('panel_id', '=', p.panel_id),
)

export const deletePanelsOfPair = statement<Pair>()((db, p) =>
  db.deleteFrom('panels').where('project_id', '=', p.project_id).where('agent_id', '=', p.agent_id),
)

export const deletePanelsOfProject = statement<{ projectId: string }>()((db, p) =>
  db.deleteFrom('panels').where('project_id', '=', p.projectId),
)

export const deletePanelsOfAgent = statement<{ agentId: string }>()((db, p) =>
  db.deleteFrom('panels').where('agent_id', '=', p.agentId),
)

type PurposePair = Omit<Tables['pending_purposes'], 'created_at'>

/** Opened panels that no agent session has taken up yet (AS3). */
export const selectPurpose = statement<PurposePair>()((db, p) =>
  db
    .selectFrom('pending_purposes')
    .select('created_at')
    .where('agent_id', '=', p.agent_id)
    .where('project_id', '=', p.project_id),
)

/** Opening it again restarts its time. */
export const keepPurpose = statement<Tables['pending_purposes']>()((db, p) =>
  db
    .insertInto('pending_purposes')
    .values({ agent_id: p.agent_id, project_id: p.project_id, created_at: p.created_at })
    .onConflict((conflict) => conflict.columns(['agent_id', 'project_id']).doUpdateSet({ created_at: p.created_at })),
)

export const deletePurpose = statement<PurposePair>()((db, p) =>
  db.deleteFrom('pending_purposes').where('agent_id', '=', p.agent_id).where('project_id', '=', p.project_id),
)
