/** Queries about the processes of a machine on which others wait for a place. */
import { type Kysely, sql } from 'kysely'
import type { ProcessOnMachine } from '../../domain/processes/room.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { launchEnded } from './launches.ts'

const held = sql.lit<Tables['launches']['state']>('held')
const waiting = sql.lit<Tables['launches']['state']>('waiting')
const endedLease = sql.lit<Tables['agent_sessions']['state']>('ended')

/** Launches that wait on machines that are there, by machine. */
export const selectCrowded = statement()((db) =>
  db
    .selectFrom('launches')
    .innerJoin('coordinators', 'coordinators.id', 'launches.coordinator_id')
    .select(['launches.coordinator_id', 'coordinators.capacity'])
    .distinct()
    .where('launches.state', '<>', launchEnded)
    .where('launches.state', '=', waiting)
    .where('coordinators.state', '=', sql.lit('connected')),
)

const processes = (db: Kysely<Tables>) =>
  db
    .selectFrom('launches as l')
    .leftJoin('agents', 'agents.id', 'l.agent_id')
    .leftJoin('agent_sessions as s', (join) =>
      join.onRef('s.launch_id', '=', 'l.id').on('s.state', '<>', endedLease),
    )
    .select(['l.id', 'l.agent_id', 'l.lane', 'l.state', 'l.stop_reason', 'l.role_agent_id'])
    .select(['agents.max_processes', 's.purpose', 's.last_answer_at'])
    .select(['s.created_at', 's.state as session_state'])
    .select((eb) => [
      eb
        .selectFrom('turns')
        .select('turns.id')
        .whereRef('turns.launch_id', '=', 'l.id')
        .where('turns.state', '=', sql.lit<Tables['turns']['state']>('running'))
        .limit(1)
        .as('runs'),
      eb
        .selectFrom('turns')
        .select('turns.id')
        .whereRef('turns.agent_id', '=', 'l.agent_id')
        .whereRef('turns.project_id', '=', 'l.project_id')
        .whereRef('turns.lane', '=', 'l.lane')
        .where('turns.state', '=', sql.lit<Tables['turns']['state']>('queued'))
        .where('turns.not_before', 'is', null)
        .limit(1)
        .as('next'),
      eb
        .selectFrom('panels')
        .select('panels.panel_id')
        .whereRef('panels.agent_id', '=', 'l.agent_id')
        .whereRef('panels.project_id', '=', 'l.project_id')
        .whereRef('panels.lane', '=', 'l.lane')
        .limit(1)
        .as('panel'),
    ])
    .where('l.state', '<>', launchEnded)
    .where('l.state', '<>', held)

const selectProcessesOn = statement<{ coordinatorId: string }>()((db, p) =>
  processes(db).where('l.coordinator_id', '=', p.coordinatorId).orderBy('l.id'),
)

const selectProcess = statement<{ id: string }>()((db, p) => processes(db).where('l.id', '=', p.id))

type Row = NonNullable<Awaited<ReturnType<typeof firstOf>>>
const firstOf = (reader: Reader, id: string) => reader.first(selectProcess, { id })

function stateOf(row: Row): ProcessOnMachine['is'] {
  if (row.state === 'waiting') return 'waiting'
  if (row.stop_reason !== null) return 'leaving'
  const isInChat = row.purpose === 'chat' && row.session_state === 'active'
  const hasWork = row.runs !== null || row.next !== null
  return row.role_agent_id === null && isInChat && !hasWork ? 'idle' : 'busy'
}

function processOf(row: Row): ProcessOnMachine {
  const ofThread = row.panel === null ? 'nobody' : 'panel'
  return {
    launchId: row.id,
    agentId: row.agent_id,
    maxProcesses: row.max_processes,
    is: stateOf(row),
    idleSince: row.last_answer_at ?? row.created_at ?? '',
    keptFor: row.lane === '' ? 'all' : ofThread,
  }
}

export const processesOn = async (
  reader: Reader,
  coordinatorId: string,
): Promise<ProcessOnMachine[]> =>
  (await reader.all(selectProcessesOn, { coordinatorId })).map(processOf)

export async function isIdle(reader: Reader, launchId: string): Promise<boolean> {
  const row = await firstOf(reader, launchId)
  return row !== undefined && stateOf(row) === 'idle'
}
