/** Every chat panel that counts as open has its full time again: nobody could be seen while the server was away or slept (CH5). */
import { updateAllSeen } from '../store/queries/panels.ts'
import { defineUseCase } from '../store/store.ts'

export const seeAllPanels = defineUseCase({
  name: 'see-all-panels',
  streams: () => [],
  run: async (tx, _: Record<never, never>, { now }): Promise<void> => tx.write(updateAllSeen, { now }),
})
