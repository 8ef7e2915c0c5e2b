/** Keeps track of open chat panels (CH5): records that they are open, and closes those that nobody has seen for too long. */

import { systemId } from '../../domain/access/who.ts'
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
import { closeChat } from './end-chat.ts'

/** In one write. */
export const maxSeenAtOnce = 500

/** Writes down that chat panels are open now, in whichever chats they are (CH5). Without an event; what is not open any more stays so. */
export const touchPanels = defineUseCase({
  name: 'touch-panels',
  streams: () => [],
  run: async (tx, { panelIds }: { panelIds: readonly string[] }, { now }): Promise<void> => {
    // In one order everywhere: two nodes that see the same ones wait for each other, and never both.
    for (const panelId of panelIds.slice(0, maxSeenAtOnce).toSorted()) await tx.write(updateSeenByName, { panelId, now })
  },
})

/** Every chat panel that counts as open has its full time again: nobody could be seen while the server was away or slept (CH5). */
export const touchAllPanels = defineUseCase({
  name: 'touch-all-panels',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> => tx.write(updateAllSeen, { now }),
})

export interface ExpiredPanel extends Pair {
  readonly panelId: string
}

/** A chat panel that was not seen for a minute counts as closed, and with the last one the chat is (CH5). Harmless when done twice. */
export const expirePanel = defineUseCase({
  name: 'expire-panel',
  streams: ({ projectId }: ExpiredPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId }, { now }): Promise<void> => {
    const pair = { project_id: projectId, agent_id: agentId }
    // It may have been seen since somebody looked.
    const lapsed = await tx.first(deletePanelUnseenSince, { ...pair, panel_id: panelId, until: closedUntil(now) })
    if (!lapsed || (await tx.first(selectPanels, { ...pair, limit: 1 }))) return
    await closeChat(tx, { projectId, agentId }, { by: systemId, now })
  },
})

const lapsedAtOnce = 100

/** Chat panels that nobody has seen for too long (CH5): a bounded number, the oldest first. */
export const findExpiredPanels = defineQuery({
  name: 'find-expired-panels',
  run: async (reader, _: Record<never, never>, { now }): Promise<ExpiredPanel[]> => {
    const rows = await reader.all(selectUnseenSince, { until: closedUntil(now), limit: lapsedAtOnce })
    return rows.map((row) => ({ projectId: row.project_id, agentId: row.agent_id, panelId: row.panel_id }))
  },
})
