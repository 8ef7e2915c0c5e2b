/**
 * Queries about what happened in a turn: its items, its text, and the turns that run on one
 * coordinator.
 */

import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { StreamName } from '../../domain/stream-name.ts'
import type { AgentUpdate } from '../../protocol/turns/agent-update.ts'
import type { RunningTurn, SettledPermission } from '../../protocol/turns/link.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import { isPushed, type TurnRow } from './turns.ts'

/**
 * Pieces of the outputs of tool calls (AC6) are items too, numbered from here in the order they
 * came.
 */
export const firstOutputItem = 1_000_000

export const selectTurnItems = statement<{ turnId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_items')
    .select(['n', 'kind', 'body'])
    .where('turn_id', '=', p.turnId)
    .where('n', '<', firstOutputItem)
    .orderBy('n')
    .limit(p.limit),
)

/** Turns whose plans are looked at, the newest. */
const turnsWithPlans = 20
const maxPlans = 10

/** The plans of the newest turns of a conversation, the newest first. */
export const selectPlans = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom(
      db
        .selectFrom('turns')
        .select(['id', 'created_at'])
        .where('conversation_key', '=', p.key)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(turnsWithPlans)
        .as('newest'),
    )
    .innerJoin('turn_items', 'turn_items.turn_id', 'newest.id')
    .select('turn_items.body')
    .where('turn_items.kind', '=', 'plan')
    .orderBy('newest.created_at', 'desc')
    .orderBy('turn_items.n', 'desc')
    .limit(maxPlans),
)

export const selectLastOutputItem = statement<{ turnId: string }>()((db, p) =>
  db
    .selectFrom('turn_items')
    .select((eb) => eb.fn.max('n').as('last'))
    .where('turn_id', '=', p.turnId)
    .where('n', '>=', firstOutputItem),
)

/** The kind of such a piece names the call. */
export const outputKind = (toolCallId: string): string => `output:${toolCallId}`

export const selectOutputItems = statement<{ turnId: string; kind: string }>()((db, p) =>
  db
    .selectFrom('turn_items')
    .select('body')
    .where('turn_id', '=', p.turnId)
    .where('kind', '=', p.kind)
    .where('n', '>=', firstOutputItem)
    .orderBy('n'),
)

export const deleteOutputItems = statement<{ turnId: string; kind: string }>()((db, p) =>
  db
    .deleteFrom('turn_items')
    .where('turn_id', '=', p.turnId)
    .where('n', '>=', firstOutputItem)
    .where('kind', '=', p.kind),
)

const eventsPerPage = 500

/** Events of a turn that do not begin with its id. */
const requestTypes = [
  sql.lit<Tables['events']['type']>('permission:requested'),
  sql.lit<Tables['events']['type']>('permission:resolved'),
  sql.lit<Tables['events']['type']>('question:requested'),
  sql.lit<Tables['events']['type']>('question:resolved'),
  sql.lit<Tables['events']['type']>('approval:held'),
]

/**
 * The beginning of the body says which turn a piece is of (src/protocol/consoles/relay.ts), so that
 * others' are not even read.
 */
const selectEventsOfTurn = statement<{
  stream: StreamName
  after: number
  beginning: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('events')
    .select(['seq', 'type', 'at', 'data'])
    .where('stream', '=', p.stream)
    .where('seq', '>', p.after)
    .where((eb) => eb.or([eb('data', 'like', p.beginning), eb('type', 'in', requestTypes)]))
    .orderBy('seq')
    .limit(p.limit),
)

const selectNewestPieces = statement<{
  stream: StreamName
  after: number
  beginning: string
  limit: number
}>()((db, p) =>
  db
    .selectFrom('events')
    .select('data')
    .where('stream', '=', p.stream)
    .where('seq', '>', p.after)
    .where('data', 'like', p.beginning)
    .orderBy('seq', 'desc')
    .limit(p.limit),
)

interface WhichTurn {
  readonly stream: StreamName
  readonly turnId: string
  readonly startedSeq: number
}

/**
 * The events of a turn as they were told, in order: its pieces, and what was asked and decided. In
 * a user session, requests of its other roles are among them.
 */
export async function* turnEventsAfter(
  reader: Reader,
  { stream, turnId, startedSeq }: WhichTurn,
): AsyncGenerator<{ readonly type: string; readonly at: Instant; readonly data: unknown }> {
  const beginning = `{"messageId":"${turnId}","update":{%`
  for (let after = startedSeq; ; ) {
    const limit = eventsPerPage
    const rows = await reader.all(selectEventsOfTurn, { stream, after, beginning, limit })
    for (const { type, at, data } of rows) yield { type, at, data: JSON.parse(data ?? '{}') }
    if (rows.length < limit) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** The newest updates of a turn, or those of one kind, oldest first. */
export async function newestPieces(
  reader: Reader,
  { stream, turnId, startedSeq }: WhichTurn,
  { limit, kind }: { readonly limit: number; readonly kind?: AgentUpdate['kind'] },
): Promise<unknown[]> {
  const start = kind === undefined ? '' : `"kind":"${kind}"`
  const turn = {
    stream,
    after: startedSeq,
    beginning: `{"messageId":"${turnId}","update":{${start}%`,
    limit,
  }
  const rows = await reader.all(selectNewestPieces, turn)
  return rows.reverse().map(({ data }) => JSON.parse(data ?? '{}').update)
}

const resolved = sql.lit<Tables['events']['type']>('permission:resolved')
/** Several agents of a user session share a stream. */
const maxResolved = 100

const selectResolved = statement<{ stream: StreamName; after: number }>()((db, p) =>
  db
    .selectFrom('events')
    .select(['seq', 'data'])
    .where('stream', '=', p.stream)
    .where('seq', '>', p.after)
    .where('type', '=', resolved)
    .orderBy('seq', 'desc')
    .limit(maxResolved),
)

/** The number of the event by which a permission was settled, among the newest of its stream. */
export async function settledSeq(
  reader: Reader,
  { stream, startedSeq: after }: WhichTurn,
  approvalId: number,
): Promise<number | undefined> {
  const all = await reader.all(selectResolved, { stream, after })
  return all.find(({ data }) => JSON.parse(data ?? '{}').approvalId === approvalId)?.seq
}

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
    .select([
      'human_approvals.launch_id',
      'human_approvals.ask_id',
      'human_approvals.option_id',
      'human_approvals.answer',
    ])
    .where('human_approvals.turn_id', '=', p.turnId)
    .where('human_approvals.outcome', 'in', ['allowed', 'denied', 'expired'])
    .orderBy('human_approvals.id'),
)

/** The running turns of a coordinator and the answers to their questions, for its snapshot. */
export async function runningTurnsOn(
  reader: Reader,
  coordinatorId: string,
): Promise<RunningTurn[]> {
  const rows = await reader.all(selectRunningOn, { coordinatorId })
  return rows.filter(isPushed).map((row) => ({
    launchId: row.launch_id ?? '',
    turnId: row.id,
    cancelOrdered: row.cancel_ordered_at !== null,
  }))
}

export async function settledPermissionsOn(
  reader: Reader,
  coordinatorId: string,
): Promise<SettledPermission[]> {
  const settled: SettledPermission[] = []
  for (const { turnId } of await runningTurnsOn(reader, coordinatorId))
    for (const row of await reader.all(selectSettledOf, { turnId }))
      settled.push({
        launchId: row.launch_id ?? '',
        askId: row.ask_id ?? '',
        optionId: row.option_id,
        ...(row.answer !== null && { answer: JSON.parse(row.answer) }),
      })
  return settled
}
