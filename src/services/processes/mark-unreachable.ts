/**
 * Marks a coordinator as unreachable after too long a silence (CO6). Its processes are neither replaced nor killed. Does
 * nothing if it was heard from meanwhile.
 */
import type { Instant } from '../../domain/instant.ts'
import { coordinatorStream, home } from '../../domain/stream-name.ts'
import { coordinatorOf, findCoordinatorRow, updateHeard } from '../../store/processes/coordinators.ts'
import { liveCounts } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'

interface Silence {
  readonly coordinatorId: string
  readonly lastHeardAt: Instant
}

export const markUnreachable = defineUseCase({
  name: 'mark-unreachable',
  streams: ({ coordinatorId }: Silence) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId, lastHeardAt }): Promise<boolean> => {
    const row = await findCoordinatorRow(tx, coordinatorId)
    if (row?.state !== 'connected' || row.last_heard_at !== lastHeardAt) return false
    const silent = { ...row, state: 'unreachable' } as const
    await tx.write(updateHeard, silent)
    const coordinator = coordinatorOf(silent, (await liveCounts(tx)).get(coordinatorId) ?? 0)
    tx.append(home, { type: 'coordinator-unreachable', data: { coordinator } })
    return true
  },
})
