/**
 * Looks for sessions whose rows disagree with each other, for pauses without a known reason, and
 * for days of sessions that are gone.
 */
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Finding } from './deep-check.ts'

const maxEach = 100

/** Either may be deleted; while both are there, each names the other. */
const selectNotGoingOn = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('conversations as before')
    .innerJoin('conversations as after', 'after.key', 'before.continued_as')
    .select(['before.key', 'before.continued_as', 'after.continued_from'])
    .where((each) =>
      each.or([
        each('after.continued_from', 'is', null),
        each('after.continued_from', '<>', each.ref('before.key')),
      ]),
    )
    .orderBy('before.key')
    .limit(p.limit),
)

const selectPausedOddly = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('turns')
    .select(['id', 'paused'])
    .where('paused', 'is not', null)
    .where('paused', 'not in', ['stopped', 'failed'])
    .orderBy('id')
    .limit(p.limit),
)

/** Those of a deleted session stay, marked, until the note of the day is written anew. */
const selectDaysOfNone = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('thread_days as each')
    .leftJoin('conversations', 'conversations.key', 'each.conversation_key')
    .select(['each.day', 'each.conversation_key'])
    .where('each.removed', '=', 0)
    .where('conversations.key', 'is', null)
    .orderBy('each.day')
    .orderBy('each.conversation_key')
    .limit(p.limit),
)

export async function* stateOfThreads(reader: Reader): AsyncGenerator<Finding> {
  const few = { limit: maxEach }
  for (const { key, continued_as, continued_from } of await reader.all(selectNotGoingOn, few)) {
    const other = continued_from ?? 'nothing'
    yield found(`conversations ${key}`, `goes on as ${continued_as}, which goes on from ${other}`)
  }
  for (const { id, paused } of await reader.all(selectPausedOddly, few))
    yield found(`turns ${id}`, `is paused for a reason that nobody knows: ${paused}`)
  for (const { day, conversation_key } of await reader.all(selectDaysOfNone, few))
    yield found(`thread_days ${day} ${conversation_key}`, 'belongs to no row of conversations')
}

const found = (where: string, what: string): Finding => ({ check: 'state', where, what })
