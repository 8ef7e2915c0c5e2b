/**
 * Queries about coordinators, one on each machine, and their form for readers. Written under the
 * lock of their own stream.
 */
import { sql } from 'kysely'
import type { Machine } from '../../domain/processes/lifecycle.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import { fields } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { liveCounts } from './launches.ts'

export type CoordinatorRow = Tables['coordinators']

const withEpoch = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom('coordinators')
    .leftJoin('coordinator_epochs', 'coordinator_epochs.coordinator_id', 'coordinators.id')
    .selectAll('coordinators')
    .select('coordinator_epochs.epoch')
    .where('coordinators.id', '=', p.id),
)

const selectConnected = statement()((db) =>
  db
    .selectFrom('coordinators')
    .select('id')
    .where('state', '=', sql.lit<CoordinatorRow['state']>('connected'))
    .orderBy('id'),
)

const selectMachines = statement()((db) =>
  db
    .selectFrom('coordinators')
    .select(['id', 'labels', 'capacity'])
    .where('state', '=', sql.lit<CoordinatorRow['state']>('connected'))
    .orderBy('id'),
)

export const countCoordinators = statement()((db) =>
  db
    .selectFrom('coordinators')
    .select(['state', sql<number>`count(*)`.as('count')])
    .groupBy('state'),
)

const selectAll = statement()((db) => db.selectFrom('coordinators').selectAll().orderBy('id'))

const selectPage = statement<PageParams>()((db, p) =>
  pageOf(
    db
      .selectFrom('coordinators')
      .leftJoin('coordinator_epochs', 'coordinator_epochs.coordinator_id', 'coordinators.id')
      .selectAll('coordinators')
      .select('coordinator_epochs.epoch'),
    p,
    'coordinators.joined_at',
    'coordinators.id',
  ),
)

export type KnownCoordinatorRow = CoordinatorRow & { readonly epoch: number }

export async function findCoordinatorRow(
  reader: Reader,
  id: string,
): Promise<KnownCoordinatorRow | undefined> {
  const row = await reader.first(withEpoch, { id })
  return row && { ...row, epoch: row.epoch ?? 0 }
}

export const coordinatorOf = (row: KnownCoordinatorRow, processes: number): Coordinator => ({
  ...fields(
    row,
    'id',
    'machine',
    'state',
    'epoch',
    'version',
    'pid',
    'joined_at',
    'last_heard_at',
    'capacity',
  ),
  labels: JSON.parse(row.labels),
  processes,
})

export async function coordinatorsPage(reader: Reader, params: PageParams): Promise<Coordinator[]> {
  const rows = await reader.all(selectPage, params)
  const counts = await liveCounts(reader)
  return rows.map((row) =>
    coordinatorOf({ ...row, epoch: row.epoch ?? 0 }, counts.get(row.id) ?? 0),
  )
}

export const allCoordinators = (reader: Reader): Promise<CoordinatorRow[]> =>
  reader.all(selectAll, {})

export const connectedCoordinators = async (reader: Reader): Promise<string[]> =>
  (await reader.all(selectConnected, {})).map(({ id }) => id)

/** The connected coordinators, as placement needs them. */
export async function machinesHere(reader: Reader): Promise<Machine[]> {
  const rows = await reader.all(selectMachines, {})
  const counts = rows.length > 1 ? await liveCounts(reader) : new Map<string, number>()
  return rows.map(({ id, labels, capacity }) => ({
    coordinatorId: id,
    labels: JSON.parse(labels),
    capacity,
    processes: counts.get(id) ?? 0,
  }))
}

/** Exit reports that were decided, and the newest epoch of each coordinator (PX6). */
export const selectExitReport = statement<{ reporter_id: string; report_id: string }>()((db, p) =>
  db
    .selectFrom('exit_reports')
    .select('created_at')
    .where('reporter_id', '=', p.reporter_id)
    .where('report_id', '=', p.report_id),
)

export const selectEpoch = statement<{ coordinatorId: string }>()((db, p) =>
  db.selectFrom('coordinator_epochs').select('epoch').where('coordinator_id', '=', p.coordinatorId),
)
