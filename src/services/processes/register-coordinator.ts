/**
 * Registers a coordinator's connection (CO1, CO6) and returns its epoch and last stored fact. A new instance raises the epoch;
 * a replaced one is refused.
 */

import { Refusal } from '../../domain/errors.ts'
import { answerGreeting } from '../../domain/processes/epoch.ts'
import { coordinatorStream, home } from '../../domain/stream-name.ts'
import { type CoordinatorHello, linkVersion } from '../../protocol/processes/link.ts'
import {
  coordinatorOf,
  findCoordinatorRow,
  type KnownCoordinatorRow,
  keepCoordinator,
  keepEpoch,
  selectEpoch,
} from '../../store/processes/coordinators.ts'
import { liveCounts } from '../../store/processes/launches.ts'
import { defineUseCase } from '../../store/store.ts'
import { fenced } from './coordinator-epoch.ts'

type Registration = Omit<CoordinatorHello, 'type' | 'requestId'> & { readonly coordinatorId: string }

export interface Registered {
  readonly epoch: number
  readonly lastFact: number
}

export const registerCoordinator = defineUseCase({
  name: 'register-coordinator',
  streams: ({ coordinatorId }: Registration) => [home, coordinatorStream(coordinatorId)],
  run: async (tx, { coordinatorId: id, ...hello }, { now }): Promise<Registered> => {
    if (hello.linkVersion !== linkVersion)
      throw new Refusal('invalid_request', `linkVersion: this server speaks ${linkVersion}`, { field: 'linkVersion' })
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
    await tx.write(keepCoordinator, row)
    if (epoch !== stored) await tx.write(keepEpoch, { coordinator_id: id, epoch })
    const type = successor ? 'coordinator-joined' : known?.state === 'connected' ? undefined : 'coordinator-back'
    if (type) tx.append(home, { type, data: { coordinator: coordinatorOf(row, (await liveCounts(tx)).get(id) ?? 0) } })
    return { epoch, lastFact: row.last_fact }
  },
})
