/**
 * Takes over from a coordinator (CO6): raises its epoch, so that its later facts are refused, and ends its launches and their
 * agent sessions. It cleans up when it learns of it. A repeated call changes nothing.
 */
import { refusalText } from '../../domain/because.ts'
import { Refusal } from '../../domain/errors.ts'
import {
  conversationStream,
  coordinatorStream,
  home,
  projectStream,
  turnsStream,
  userSessionStream,
} from '../../domain/stream-name.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import { coordinatorOf, findCoordinatorRow, keepCoordinator, keepEpoch } from '../../store/processes/coordinators.ts'
import { liveLaunchesOn } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchCoordinator } from '../refusals.ts'
import { type EndLocks, endProcess } from './process-end.ts'

/** Launches of one coordinator in one commit. */
export const maxLostLaunches = 10_000

/** No instance has this name, so the next to register is a successor. */
const noInstance = ''

type Takeover = EndLocks & {
  readonly coordinatorId: string
  readonly by: string
}

export const takeOverCoordinator = defineUseCase({
  name: 'take-over-coordinator',
  streams: ({ coordinatorId, projectIds, openConversations, userSessionIds, conversationKeys }: Takeover) => [
    home,
    coordinatorStream(coordinatorId),
    ...projectIds.map(projectStream),
    ...openConversations.map(conversationStream),
    ...userSessionIds.map(userSessionStream),
    ...conversationKeys.flatMap((key) => [conversationStream(key), turnsStream(key)]),
  ],
  run: async (tx, { coordinatorId, by, ...ends }, context): Promise<Coordinator> => {
    const row = await findCoordinatorRow(tx, coordinatorId)
    if (!row) throw noSuchCoordinator(coordinatorId)
    if (row.instance === noInstance) return coordinatorOf(row, 0)
    const launches = (await liveLaunchesOn(tx, coordinatorId, maxLostLaunches)).filter(({ state }) => state !== 'held')
    if (launches.some(({ projectId }) => !ends.projectIds.includes(projectId)))
      throw new Refusal('busy', refusalText('justGivenMore'))
    const taken = { ...row, state: 'stopped', instance: noInstance, epoch: row.epoch + 1 } as const
    await tx.write(keepCoordinator, taken)
    await tx.write(keepEpoch, { coordinator_id: coordinatorId, epoch: taken.epoch })
    for (const launch of launches) await endProcess(tx, launch, { type: 'lost' }, ends, context)
    const coordinator = coordinatorOf(taken, 0)
    tx.append(home, { type: 'coordinator-taken-over', data: { coordinator, by } })
    return coordinator
  },
})
