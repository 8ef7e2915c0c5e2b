/**
 * Fences coordinators (CO6): checks a coordinator's epoch inside the transaction that stores its facts, so that a replaced
 * instance changes nothing.
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
