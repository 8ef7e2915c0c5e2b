/**
 * The fence (CO6): whatever a coordinator says is checked against the epoch in force, inside the transaction that writes what it
 * said. So an instance that was replaced while its message was on its way changes nothing.
 */
import { Refusal } from '../../domain/errors.ts'
import { findCoordinatorRow, type KnownCoordinatorRow } from '../../store/processes/coordinators.ts'
import type { Reader } from '../../store/store.ts'

export interface InEpoch {
  readonly coordinatorId: string
  readonly epoch: number
}

export async function requireCurrentEpoch(reader: Reader, { coordinatorId, epoch }: InEpoch): Promise<KnownCoordinatorRow> {
  const row = await findCoordinatorRow(reader, coordinatorId)
  if (!row) throw new Refusal('fenced', 'This coordinator has not greeted yet', { epoch: 0 })
  if (row.epoch !== epoch) throw fenced(epoch, row.epoch)
  return row
}

export const fenced = (given: number | null, current: number): Refusal =>
  new Refusal('fenced', `Epoch ${given} was taken over; now it is ${current}`, { epoch: current })
