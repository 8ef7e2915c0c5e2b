/** A node gives a lease back before it has run out, so that nobody waits for it (SC5). Another's stays. */
import { deleteLease } from '../store/queries/leases.ts'
import { defineUseCase } from '../store/store.ts'

export const releaseLease = defineUseCase({
  name: 'release-lease',
  streams: () => [],
  run: async (tx, lease: { name: string; holder: string }): Promise<void> => tx.write(deleteLease, lease),
})
