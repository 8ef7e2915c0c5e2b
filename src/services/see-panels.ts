/** Writes down that chat panels are open now, in whichever chats they are (CH5). Without an event; what is not open any more stays so. */
import { updateSeenByName } from '../store/queries/panels.ts'
import { defineUseCase } from '../store/store.ts'

/** In one write. */
export const maxSeenAtOnce = 500

export const seePanels = defineUseCase({
  name: 'see-panels',
  streams: () => [],
  run: async (tx, { panelIds }: { panelIds: readonly string[] }, { now }): Promise<void> => {
    // In one order everywhere: two nodes that see the same ones wait for each other, and never both.
    for (const panelId of panelIds.slice(0, maxSeenAtOnce).toSorted()) await tx.write(updateSeenByName, { panelId, now })
  },
})
