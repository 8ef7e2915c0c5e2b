/** Chat panels that nobody has seen for too long (CH5): a bounded number, the oldest first. */
import { closedUntil } from '../domain/chat-panel/lifetime.ts'
import { selectUnseenSince } from '../store/queries/panels.ts'
import { defineQuery } from '../store/store.ts'
import type { LapsedPanel } from './lapse-panel.ts'

const lapsedAtOnce = 100

export const findLapsedPanels = defineQuery({
  name: 'find-lapsed-panels',
  run: async (reader, _: Record<never, never>, { now }): Promise<LapsedPanel[]> => {
    const rows = await reader.all(selectUnseenSince, { until: closedUntil(now), limit: lapsedAtOnce })
    return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id, panelId: row.panel_id }))
  },
})
