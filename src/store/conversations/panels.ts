/** Queries about open chat panels and when each was last seen (CH5). */
import type { Instant } from '../../domain/instant.ts'
import { atMost, deleteBy, from, selectColumns, updateColumns } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type PanelKey = Omit<Tables['panels'], 'seen_at'>
type Pair = Omit<PanelKey, 'panel_id'>

/** The longest unseen first. */
export const selectPanels = statement<Pair & { limit: number }>()((db, p) =>
  from(db, 'panels', { project_id: p.project_id, agent_id: p.agent_id }, 'seen_at')
    .select('panel_id')
    .limit(p.limit),
)

export const updateSeen = updateColumns('panels', 'seen_at')

/** In any chat. */
export const updateSeenByName = statement<{ panelId: string; now: Instant }>()((db, p) =>
  db
    .updateTable('panels')
    .set({ seen_at: p.now })
    .where('panel_id', '=', p.panelId)
    .where('seen_at', '<', p.now),
)

export const updateAllSeen = statement<{ now: Instant }>()((db, p) =>
  db.updateTable('panels').set({ seen_at: p.now }).where('seen_at', '<', p.now),
)

export const selectUnseenSince = statement<{ until: Instant; limit: number }>()((db, p) =>
  from(db, 'panels', { seen_at: atMost(p.until) }, 'seen_at')
    .select(['project_id', 'agent_id', 'panel_id'])
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

export const deletePanelsOfPair = deleteBy('panels', ['project_id', 'agent_id'])

/** Opened panels that no agent session has taken up yet (AS3). */
export const selectPurpose = selectColumns(
  'pending_purposes',
  ['agent_id', 'project_id'],
  'created_at',
)
