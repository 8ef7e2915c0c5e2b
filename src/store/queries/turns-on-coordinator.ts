/** What runs on a coordinator, for its snapshot: turns, and the answers to what they asked. */
import { sql } from 'kysely'
import type { RunningTurn, SettledPermission } from '../../protocol/link-turns.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'
import { isPushed, type TurnRow } from './turns.ts'

const running = sql.lit<TurnRow['state']>('running')
const ended = sql.lit<Tables['launches']['state']>('ended')

const selectRunningOn = statement<{ coordinatorId: string }>()((db, p) =>
  db
    .selectFrom('launches')
    .innerJoin('turns', 'turns.launch_id', 'launches.id')
    .select(['turns.id', 'turns.launch_id', 'turns.cancel_ordered_at', 'turns.content'])
    .where('launches.coordinator_id', '=', p.coordinatorId)
    .where('launches.state', '<>', ended)
    .where('turns.state', '=', running)
    .orderBy('turns.id'),
)

const selectSettledOf = statement<{ turnId: string }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(['human_approvals.launch_id', 'human_approvals.ask_id', 'human_approvals.option_id'])
    .where('human_approvals.turn_id', '=', p.turnId)
    .where('human_approvals.outcome', 'in', ['allowed', 'denied', 'expired'])
    .orderBy('human_approvals.id'),
)

export async function runningTurnsOn(reader: Reader, coordinatorId: string): Promise<RunningTurn[]> {
  const rows = await reader.all(selectRunningOn, { coordinatorId })
  return rows
    .filter(isPushed)
    .map((row) => ({ launchId: row.launch_id ?? '', turnId: row.id, cancelOrdered: row.cancel_ordered_at !== null }))
}

export async function settledPermissionsOn(reader: Reader, coordinatorId: string): Promise<SettledPermission[]> {
  const settled: SettledPermission[] = []
  for (const { turnId } of await runningTurnsOn(reader, coordinatorId))
    for (const row of await reader.all(selectSettledOf, { turnId }))
      settled.push({ launchId: row.launch_id ?? '', askId: row.ask_id ?? '', optionId: row.option_id })
  return settled
}
