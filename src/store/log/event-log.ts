/**
 * The statements of the event log. transaction.ts assigns the numbers; only trimming writes these
 * tables as well.
 */
import { sql } from 'kysely'
import type { StreamName } from '../../domain/stream-name.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { StoredEvent } from '../store.ts'

export const insertEvent = statement<Tables['events']>()((db, p) =>
  db.insertInto('events').values({
    stream: p.stream,
    seq: p.seq,
    type: p.type,
    at: p.at,
    data: p.data,
    ref_stream: p.ref_stream,
    ref_seq: p.ref_seq,
  }),
)

export const moveHead = statement<{ name: StreamName; head: number }>()((db, p) =>
  db
    .insertInto('streams')
    .values({ name: p.name, head: p.head, floor: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ head: p.head })),
)

export const selectPosition = statement<{ name: Tables['streams']['name'] }>()((db, p) =>
  db.selectFrom('streams').select(['head', 'floor']).where('name', '=', p.name),
)

export const selectStreamsAfter = statement<{ name: string; limit: number }>()((db, p) =>
  db
    .selectFrom('streams')
    .select(['name', 'head'])
    .where('name', '>', p.name as StreamName)
    .orderBy('name')
    .limit(p.limit),
)

/**
 * Selects streams of one kind with more events than the minimum that is kept; `from` and `to`
 * enclose their names.
 */
export const selectLongStreams = statement<{
  from: string
  to: string
  kept: number
  limit: number
}>()((db, p) =>
  db
    .selectFrom('streams')
    .select('name')
    .where('name', '>=', p.from as StreamName)
    .where('name', '<', p.to as StreamName)
    .where(sql<boolean>`head - floor > ${p.kept}`)
    .orderBy('name')
    .limit(p.limit),
)

/** Selects the first event of either type in a stream. */
export const selectFirstOfTypes = statement<{ stream: StreamName; one: string; other: string }>()(
  (db, p) =>
    db
      .selectFrom('events')
      .select('seq')
      .where('stream', '=', p.stream)
      .where((eb) => eb.or([eb('type', '=', p.one), eb('type', '=', p.other)]))
      .orderBy('seq')
      .limit(1),
)

export const selectEventTime = statement<{ stream: Tables['events']['stream']; seq: number }>()(
  (db, p) =>
    db.selectFrom('events').select('at').where('stream', '=', p.stream).where('seq', '=', p.seq),
)

/** Deletes the beginning of a stream. Its floor is raised with it, under the stream's lock. */
export const deleteEventsThrough = statement<{ stream: StreamName; seq: number }>()((db, p) =>
  db.deleteFrom('events').where('stream', '=', p.stream).where('seq', '<=', p.seq),
)

export const selectEventsAfter = statement<{ stream: StreamName; after: number; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('events')
      .select([
        'stream',
        'seq',
        'type',
        'at',
        'data',
        'ref_stream as refStream',
        'ref_seq as refSeq',
      ])
      .where('stream', '=', p.stream)
      .where('seq', '>', p.after)
      .orderBy('seq')
      .limit(p.limit)
      .$castTo<StoredEvent>(),
)
