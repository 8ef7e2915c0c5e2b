/** A chat panel that was not seen for a minute counts as closed, and with the last one the chat is (CH5). Harmless when done twice. */

import { closedUntil } from '../domain/chat-panel/lifetime.ts'
import { systemId } from '../domain/credential/who.ts'
import { projectStream } from '../domain/stream/name.ts'
import type { Pair } from '../store/queries/agent-sessions.ts'
import { deletePanelUnseenSince, selectPanels } from '../store/queries/panels.ts'
import { defineUseCase } from '../store/store.ts'
import { closeChat } from './close-chat.ts'

export interface LapsedPanel extends Pair {
  readonly panelId: string
}

export const lapsePanel = defineUseCase({
  name: 'lapse-panel',
  streams: ({ projectId }: LapsedPanel) => [projectStream(projectId)],
  run: async (tx, { projectId, agentId, panelId }, { now }): Promise<void> => {
    const pair = { project_id: projectId, agent_id: agentId }
    // It may have been seen since somebody looked.
    const lapsed = await tx.first(deletePanelUnseenSince, { ...pair, panel_id: panelId, until: closedUntil(now) })
    if (!lapsed || (await tx.first(selectPanels, { ...pair, limit: 1 }))) return
    await closeChat(tx, { projectId, agentId }, { by: systemId, now })
  },
})
