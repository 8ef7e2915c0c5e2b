/**
 * Looks for what reviews and landings have left behind without what it belongs to, and compares the
 * state of each landing with the event that last told it.
 */
import { sql } from 'kysely'
import type { StreamName } from '../../domain/stream-name.ts'
import { pagesOf } from '../copy-tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

/** Each table, what of it names an owner, and where that owner is. An empty name is nobody. */
const owners = [
  ['comments', 'conversation_key', 'conversations', 'key'],
  ['comment_places', 'comment_id', 'comments', 'id'],
  ['viewed_files', 'conversation_key', 'conversations', 'key'],
  ['reviewed_trees', 'conversation_key', 'conversations', 'key'],
  ['landings', 'conversation_key', 'conversations', 'key'],
  ['landing_steps', 'landing_id', 'landings', 'id'],
  ['host_tokens', 'project_id', 'projects', 'id'],
  ['project_remotes', 'project_id', 'projects', 'id'],
] as const

const maxEach = 100

export async function* stateOfReviews(reader: Reader): AsyncGenerator<Finding> {
  for (const [table, name, owning, key] of owners) {
    const left = await reader.query<{ owner: string }>((db) => ({
      compile: () =>
        sql<{ owner: string }>`select distinct ${sql.ref(name)} as owner from ${sql.table(table)}
          where ${sql.ref(name)} <> '' and ${sql.ref(name)} not in
            (select ${sql.ref(key)} from ${sql.table(owning)}) limit ${sql.lit(maxEach)}`.compile(
          db,
        ),
    }))
    for (const { owner } of left)
      yield { check: 'state', where: `${table} ${owner}`, what: `belongs to no row of ${owning}` }
  }
  yield* statesOfLandings(reader)
}

const selectLandingEvents = statement<{ stream: StreamName; after: number; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('events')
      .select(['stream', 'seq', 'data'])
      .where('type', '=', 'landing-changed')
      .where((each) =>
        each.or([
          each('stream', '>', p.stream),
          each.and([each('stream', '=', p.stream), each('seq', '>', p.after)]),
        ]),
      )
      .orderBy('stream')
      .orderBy('seq')
      .limit(p.limit),
)

async function* statesOfLandings(reader: Reader): AsyncGenerator<Finding> {
  const lastStates = new Map<string, string>()
  for (let at = { stream: '' as StreamName, seq: 0 }; ; ) {
    const after = { stream: at.stream, after: at.seq, limit: maxEach }
    const events = await reader.all(selectLandingEvents, after)
    for (const { data } of events) {
      // A copy in another stream has no body.
      const { landingId, state } = data === null ? {} : JSON.parse(String(data))
      if (landingId) lastStates.set(landingId, state)
    }
    const last = events.at(-1)
    if (!last || events.length < maxEach) break
    at = last
  }
  for await (const page of pagesOf(reader, 'landings')) {
    for (const { id, state } of page) {
      if (lastStates.get(id) === state) continue
      const what = `is ${state}; the events say ${lastStates.get(id) ?? 'nothing'}`
      yield { check: 'state', where: `landings ${id}`, what }
    }
  }
}
