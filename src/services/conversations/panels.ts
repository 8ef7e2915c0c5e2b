/** Tracks open chat panels (CH5): records which are open, and expires those that were not seen for too long. */

import { systemId } from '../../domain/access/caller.ts'
import { closedUntil } from '../../domain/conversations/panel-lifetime.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { Pair } from '../../store/agent-sessions/agent-sessions.ts'
import {
  deletePanelUnseenSince,
  selectPanels,
  selectUnseenSince,
  updateAllSeen,
  updateSeenByName,
} from '../../store/conversations/panels.ts'
import { defineQuery, defineUseCase } from '../../store/store.ts'
import { closeChat } from './start-chat.ts'

export const maxTouchedPanels = 500

/** Records that chat panels are open (CH5). Appends no event, and does not reopen closed ones. */
export const touchPanels = defineUseCase('touch-panels', {
  streams: () => [],
  run: async (tx, { panelIds }: { panelIds: readonly string[] }, { now }): Promise<void> => {
    // Sorted, so that two nodes that write the same panels cannot deadlock.
    for (const panelId of panelIds.slice(0, maxTouchedPanels).toSorted()) await tx.write(updateSeenByName, { panelId, now })
  },
})

/** Renews all open chat panels, after the server was down or asleep (CH5). */
export const touchAllPanels = defineUseCase('touch-all-panels', {
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> => tx.write(updateAllSeen, { now }),
})

export interface ExpiredPanel extends Pair {
  readonly panelId: string
}

/** Closes a chat panel not seen for a minute, and the chat with the last one (CH5). Idempotent. */
export const expirePanel = defineUseCase('expire-panel', {
  streams: ({ projectId }: ExpiredPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId }, { now }): Promise<void> => {
    const pair = { project_id: projectId, agent_id: agentId }
    // The panel may have been renewed since the query.
    const expired = await tx.first(deletePanelUnseenSince, { ...pair, panel_id: panelId, until: closedUntil(now) })
    if (!expired || (await tx.first(selectPanels, { ...pair, limit: 1 }))) return
    await closeChat(tx, { projectId, agentId }, { by: systemId, now })
  },
})

const expiredLimit = 100

/** Lists chat panels not seen for too long, oldest first, up to a limit (CH5). */
export const findExpiredPanels = defineQuery(async (reader, _: Record<never, never>, { now }): Promise<ExpiredPanel[]> => {
  const rows = await reader.all(selectUnseenSince, { until: closedUntil(now), limit: expiredLimit })
  return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id, panelId: row.panel_id }))
})
