/** The statements of the event log. transaction.ts assigns the numbers; only trimming writes these tables as well. */
import { sql } from 'kysely'
import type { StreamName } from '../../domain/stream-name.ts'
import { above, atLeast, below, from, insertRow, selectColumns } from '../rows.ts'
import { statement } from '../statement.ts'
import type { StoredEvent } from '../store.ts'

export const insertEvent = insertRow('events')

export const moveHead = statement<{ name: StreamName; head: number }>()((db, p) =>
  db
    .insertInto('streams')
    .values({ name: p.name, head: p.head, floor: 0 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ head: p.head })),
)

export const selectPosition = selectColumns('streams', 'name', 'head', 'floor')

export const selectStreamsAfter = statement<{ name: string; limit: number }>()((db, p) =>
  from(db, 'streams', { name: above(p.name as StreamName) }, 'name')
    .select(['name', 'head'])
    .limit(p.limit),
)

/** Selects streams of one kind with more events than the minimum that is kept; `from` and `to` enclose their names. */
export const selectLongStreams = statement<{
  from: string
  to: string
  kept: number
  limit: number
}>()((db, p) =>
  from(db, 'streams', { name: [atLeast(p.from as StreamName), below(p.to as StreamName)] }, 'name')
    .select('name')
    .where(sql<boolean>`head - floor > ${p.kept}`)
    .limit(p.limit),
)

/** Selects the first event of either type in a stream. */
export const selectFirstOfTypes = statement<{ stream: StreamName; one: string; other: string }>()(
  (db, p) =>
    from(db, 'events', { stream: p.stream }, 'seq')
      .select('seq')
      .where((eb) => eb.or([eb('type', '=', p.one), eb('type', '=', p.other)]))
      .limit(1),
)

export const selectEventTime = selectColumns('events', ['stream', 'seq'], 'at')

/** Deletes the beginning of a stream and is run with `raiseFloor` under the stream's lock. */
export const deleteEventsThrough = statement<{ stream: StreamName; seq: number }>()((db, p) =>
  db.deleteFrom('events').where('stream', '=', p.stream).where('seq', '<=', p.seq),
)

export const selectEventsAfter = statement<{ stream: StreamName; after: number; limit: number }>()(
  (db, p) =>
    from(db, 'events', { stream: p.stream, seq: above(p.after) }, 'seq')
      .select([
        'stream',
        'seq',
        'type',
        'at',
        'data',
        'ref_stream as refStream',
        'ref_seq as refSeq',
      ])
      .limit(p.limit)
      .$castTo<StoredEvent>(),
)
