/** Registers a coordinator (CO1, CO6) and returns its epoch and last stored fact. A new instance raises the epoch. */
import { Refusal } from '../../domain/errors.ts'
import type { Instant } from '../../domain/instant.ts'
import { answerGreeting } from '../../domain/processes/epoch.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import {
  conversationStream,
  coordinatorStream,
  home,
  projectStream,
  turnsStream,
  userSessionStream,
} from '../../domain/stream-name.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import { type CoordinatorHello, linkVersion } from '../../protocol/processes/link.ts'
import {
  coordinatorOf,
  findCoordinatorRow,
  type KnownCoordinatorRow,
  selectEpoch,
  updateHeard,
} from '../../store/processes/coordinators.ts'
import { liveCounts, liveLaunchesOn } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { noSuchCoordinator } from '../refusals.ts'
import { fenced } from './launch-record.ts'
import { type EndLocks, endProcess } from './process-end.ts'

type Registration = Omit<CoordinatorHello, 'type' | 'requestId'> & { readonly coordinatorId: string }

export interface Registered {
  readonly epoch: number
  readonly lastFact: number
}

export const registerCoordinator = defineUseCase('register-coordinator', {
  streams: ({ coordinatorId }: Registration) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId: id, ...hello }, { now }): Promise<Registered> => {
    if (hello.linkVersion !== linkVersion)
      throw new Refusal('invalid_request', refusalText('linkVersionOther', { version: linkVersion }), { field: 'linkVersion' })
    const known = await findCoordinatorRow(tx, id)
    const stored = known?.epoch ?? (await tx.first(selectEpoch, { coordinatorId: id }))?.epoch
    const answer = answerGreeting(hello, stored === undefined ? null : { instance: known?.instance ?? null, epoch: stored })
    if (answer.outcome === 'fenced') throw fenced(hello.epoch, answer.epoch)
    const { epoch, successor } = answer
    const row: KnownCoordinatorRow = {
      id,
      machine: hello.machine,
      state: 'connected',
      instance: hello.instance,
      last_fact: known?.last_fact ?? 0,
      version: hello.version,
      boot_id: hello.bootId,
      pid: hello.pid,
      joined_at: known && !successor ? known.joined_at : now,
      last_heard_at: now,
      labels: JSON.stringify([...new Set(hello.labels ?? [])].sort()),
      capacity: hello.capacity ?? null,
      contexts: hello.contexts ? 1 : 0,
      epoch,
    }
    await tx.put('coordinators', row)
    if (epoch !== stored) await tx.put('coordinator_epochs', { coordinator_id: id, epoch })
    const type = successor ? 'coordinator-joined' : known?.state === 'connected' ? undefined : 'coordinator-back'
    if (type) tx.append(home, { type, data: { coordinator: coordinatorOf(row, (await liveCounts(tx)).get(id) ?? 0) } })
    return { epoch, lastFact: row.last_fact }
  },
})

/** Launches of one coordinator in one commit. */
export const maxLostLaunches = 10_000

/** No instance has this name, so the next to register is a successor. */
const noInstance = ''

type Takeover = EndLocks & {
  readonly coordinatorId: string
  readonly by: string
}

/**
 * Takes over from a coordinator (CO6): raises its epoch, so that its later facts are refused, and ends its launches and their
 * agent sessions. It cleans up when it learns of it. A repeated call changes nothing.
 */
export const takeOverCoordinator = defineUseCase('take-over-coordinator', {
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
    await tx.put('coordinators', taken)
    await tx.put('coordinator_epochs', { coordinator_id: coordinatorId, epoch: taken.epoch })
    for (const launch of launches) await endProcess(tx, launch, { type: 'lost' }, ends, context)
    const coordinator = coordinatorOf(taken, 0)
    tx.append(home, { type: 'coordinator-taken-over', data: { coordinator, by } })
    return coordinator
  },
})

/** Marks a coordinator as unreachable after too long a silence (CO6). Its processes are neither replaced nor killed. */
export const markUnreachable = defineUseCase('mark-unreachable', {
  streams: ({ coordinatorId }: { coordinatorId: string; lastHeardAt: Instant }) => [home, coordinatorStream(coordinatorId)],
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
