/** Queries about open chat panels and when each was last seen (CH5). */
import type { Instant } from '../../domain/instant.ts'
import type { Post } from '../agent-sessions/agent-sessions.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type PanelKey = Omit<Tables['panels'], 'seen_at'>
type PostKey = Omit<PanelKey, 'panel_id'>

/** The longest unseen first. */
export const selectPanels = statement<PostKey & { limit: number }>()((db, p) =>
  db
    .selectFrom('panels')
    .select('panel_id')
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .where('lane', '=', p.lane)
    .orderBy('seen_at')
    .limit(p.limit),
)

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
  db
    .selectFrom('panels')
    .select(['project_id', 'agent_id', 'lane', 'panel_id'])
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
    .where('lane', '=', p.lane)
    .where('panel_id', '=', p.panel_id)
    .where('seen_at', '<=', p.until)
    .returning('panel_id'),
)

export const deletePanelsOfPost = statement<PostKey>()((db, p) =>
  db
    .deleteFrom('panels')
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id)
    .where('lane', '=', p.lane),
)

/** In all its lanes. */
export const deletePanelsOfPair = statement<{ project_id: string; agent_id: string }>()((db, p) =>
  db.deleteFrom('panels').where('project_id', '=', p.project_id).where('agent_id', '=', p.agent_id),
)

/** Opened panels that no agent session has taken up yet (AS3). */
export const selectPurpose = statement<PostKey>()((db, p) =>
  db
    .selectFrom('pending_purposes')
    .select('created_at')
    .where('agent_id', '=', p.agent_id)
    .where('project_id', '=', p.project_id)
    .where('lane', '=', p.lane),
)

/** The columns that name a post in `panels` and `pending_purposes`. */
export const postKey = ({ agentId, projectId, lane }: Post): PostKey => ({
  agent_id: agentId,
  project_id: projectId,
  lane,
})
