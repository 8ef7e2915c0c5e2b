/**
 * Queries about coordinators, and their form for readers. Written under the lock of their own stream. There is one on each machine.
 */
import { sql } from 'kysely'
import type { Machine } from '../../domain/processes/placement.ts'
import type { Coordinator } from '../../protocol/processes/coordinator.ts'
import type { PageParams } from '../page-cursor.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { liveCounts } from './launches.ts'

export type CoordinatorRow = Tables['coordinators']

export const keepCoordinator = statement<CoordinatorRow>()((db, p) => {
  const heard = {
    machine: p.machine,
    state: p.state,
    instance: p.instance,
    last_fact: p.last_fact,
    version: p.version,
    boot_id: p.boot_id,
    pid: p.pid,
    joined_at: p.joined_at,
    last_heard_at: p.last_heard_at,
    labels: p.labels,
    capacity: p.capacity,
    contexts: p.contexts,
  }
  return db
    .insertInto('coordinators')
    .values({ id: p.id, ...heard })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(heard))
})

export const updateHeard = statement<Pick<CoordinatorRow, 'id' | 'state' | 'last_fact' | 'last_heard_at'>>()((db, p) =>
  db
    .updateTable('coordinators')
    .set({ state: p.state, last_fact: p.last_fact, last_heard_at: p.last_heard_at })
    .where('id', '=', p.id),
)

const withEpoch = statement<{ id: string }>()((db, p) =>
  db
    .selectFrom('coordinators')
    .leftJoin('coordinator_epochs', 'coordinator_epochs.coordinator_id', 'coordinators.id')
    .selectAll('coordinators')
    .select('coordinator_epochs.epoch')
    .where('coordinators.id', '=', p.id),
)

const selectConnected = statement()((db) =>
  db.selectFrom('coordinators').select('id').where('state', '=', sql.lit<CoordinatorRow['state']>('connected')).orderBy('id'),
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
  db
    .selectFrom('coordinators')
    .leftJoin('coordinator_epochs', 'coordinator_epochs.coordinator_id', 'coordinators.id')
    .selectAll('coordinators')
    .select('coordinator_epochs.epoch')
    .where((eb) => eb(eb.refTuple('coordinators.joined_at', 'coordinators.id'), '<', eb.tuple(p.createdAt, p.id)))
    .orderBy('coordinators.joined_at', 'desc')
    .orderBy('coordinators.id', 'desc')
    .limit(p.limit),
)

export type KnownCoordinatorRow = CoordinatorRow & { readonly epoch: number }

export async function findCoordinatorRow(reader: Reader, id: string): Promise<KnownCoordinatorRow | undefined> {
  const row = await reader.first(withEpoch, { id })
  return row && { ...row, epoch: row.epoch ?? 0 }
}

export const coordinatorOf = (row: KnownCoordinatorRow, processes: number): Coordinator => ({
  id: row.id,
  machine: row.machine,
  state: row.state,
  epoch: row.epoch,
  version: row.version,
  pid: row.pid,
  joinedAt: row.joined_at,
  lastHeardAt: row.last_heard_at,
  labels: JSON.parse(row.labels),
  capacity: row.capacity,
  processes,
})

export async function coordinatorsPage(reader: Reader, params: PageParams): Promise<Coordinator[]> {
  const rows = await reader.all(selectPage, params)
  const counts = await liveCounts(reader)
  return rows.map((row) => coordinatorOf({ ...row, epoch: row.epoch ?? 0 }, counts.get(row.id) ?? 0))
}

export const allCoordinators = (reader: Reader): Promise<CoordinatorRow[]> => reader.all(selectAll, {})

/** The connected coordinators. */
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

type ReportKey = Omit<Tables['exit_reports'], 'created_at'>

/** Exit reports that were decided, and the newest epoch of each coordinator (PX6). */
export const selectExitReport = statement<ReportKey>()((db, p) =>
  db
    .selectFrom('exit_reports')
    .select('created_at')
    .where('reporter_id', '=', p.reporter_id)
    .where('report_id', '=', p.report_id),
)

export const insertExitReport = statement<Tables['exit_reports']>()((db, p) =>
  db.insertInto('exit_reports').values({ reporter_id: p.reporter_id, report_id: p.report_id, created_at: p.created_at }),
)

export const selectEpoch = statement<{ coordinatorId: string }>()((db, p) =>
  db.selectFrom('coordinator_epochs').select('epoch').where('coordinator_id', '=', p.coordinatorId),
)

export const keepEpoch = statement<Tables['coordinator_epochs']>()((db, p) =>
  db
    .insertInto('coordinator_epochs')
    .values({ coordinator_id: p.coordinator_id, epoch: p.epoch })
    .onConflict((conflict) => conflict.column('coordinator_id').doUpdateSet({ epoch: p.epoch })),
)
