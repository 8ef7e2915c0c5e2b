/**
 * Queries about the days on which something was asked in a session (DC3). A row is kept with the
 * first turn of a day, under the lock of the conversation, and noted under that of the day's note.
 */
import { sql } from 'kysely'
import {
  boundaryOf,
  type CutoverRule,
  type Day,
  endOf,
  type NotedThread,
} from '../../domain/conversations/chapter.ts'
import { joined, withdrawn } from '../../domain/turns/lifecycle.ts'
import { statement } from '../statement.ts'
import type { Reader, Tx } from '../store.ts'
import { selectOpening } from './messages.ts'

export const selectThreadDaysToNote = statement<{ before: Day; limit: number }>()((db, p) =>
  db
    .selectFrom('thread_days')
    .select('day')
    .distinct()
    .where('note_seq', 'is', null)
    .where('day', '<', p.before)
    .orderBy('day')
    .limit(p.limit),
)

interface Few {
  readonly day: Day
  readonly limit: number
}

const fewOf =
  ({ day, limit }: { readonly day: Day; readonly limit: number }) =>
  (db: Parameters<Parameters<ReturnType<typeof statement>>[0]>[0]) =>
    db
      .selectFrom('thread_days')
      .select('conversation_key')
      .where('day', '=', day)
      .where('note_seq', 'is', null)
      .orderBy('conversation_key')
      .limit(limit)

export const selectThreadsNotNoted = statement<Few>()((db, p) => fewOf(p)(db))

const deleteRemoved = statement<Few>()((db, p) =>
  db
    .deleteFrom('thread_days')
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 1)
    .where('conversation_key', 'in', fewOf(p)(db)),
)

const numberDays = statement<Few & { seq: number }>()((db, p) =>
  db
    .updateTable('thread_days')
    .set({ note_seq: p.seq })
    .where('day', '=', p.day)
    .where('note_seq', 'is', null)
    .where('removed', '=', 0)
    .where('conversation_key', 'in', fewOf(p)(db)),
)

/** Writes which note names the sessions of a day, and forgets those that were deleted. */
export async function noteThreadDays(tx: Tx, few: Few, seq: number): Promise<void> {
  await tx.write(numberDays, { ...few, seq })
  await tx.write(deleteRemoved, few)
}

/** The notes that name a deleted conversation are to be written without it. */
export const removeThreadDaysOf = statement<{ key: string }>()((db, p) =>
  db
    .updateTable('thread_days')
    .set({ removed: 1, note_seq: null })
    .where('conversation_key', '=', p.key),
)

const countOfDay = statement<{ day: Day }>()((db, p) =>
  db
    .selectFrom('thread_days')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('day', '=', p.day)
    .where('removed', '=', 0),
)

export const threadsOf = async (reader: Reader, day: Day): Promise<number> =>
  Number((await reader.first(countOfDay, { day }))?.count ?? 0)

/** Sessions that one note tells of. */
const maxNotedThreads = 500

const selectOfDay = statement<{ day: Day; limit: number }>()((db, p) =>
  db
    .selectFrom('thread_days')
    .innerJoin('conversations', 'conversations.key', 'thread_days.conversation_key')
    .select(['conversations.key', 'conversations.title', 'conversations.project_id'])
    .where('thread_days.day', '=', p.day)
    .where('thread_days.note_seq', 'is not', null)
    .orderBy('conversations.created_at')
    .orderBy('conversations.key')
    .limit(p.limit),
)

const selectTurnsWithin = statement<{ key: string; from: string; to: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .select((eb) => ['agent_id', eb.fn.countAll<number>().as('count')])
    .where('conversation_key', '=', p.key)
    .where('created_at', '>=', p.from)
    .where('created_at', '<', p.to)
    .where((eb) =>
      eb.or([
        eb('stop_reason', 'is', null),
        eb('stop_reason', 'not in', [sql.lit(withdrawn), sql.lit(joined)]),
      ]),
    )
    .groupBy('agent_id')
    .orderBy('agent_id'),
)

/** The sessions of a day, with who had them and how many turns there were on that day. */
export async function notedThreads(
  reader: Reader,
  rule: CutoverRule,
  day: Day,
): Promise<NotedThread[]> {
  const noted: NotedThread[] = []
  const within = { from: boundaryOf(rule, day), to: endOf(rule, day) }
  for (const row of await reader.all(selectOfDay, { day, limit: maxNotedThreads })) {
    const { key, project_id: projectId } = row
    const byAgent = await reader.all(selectTurnsWithin, { key, ...within })
    const begins = (await reader.first(selectOpening, { key }))?.beginning ?? ''
    noted.push({
      key,
      projectId,
      title: row.title ?? begins.trim().split('\n', 1)[0] ?? '',
      agents: byAgent.map(({ agent_id }) => agent_id),
      turns: byAgent.reduce((sum, { count }) => sum + Number(count), 0),
    })
  }
  return noted
}
