/** Queries about the files of turns and what is done with them (FS7-FS10). */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import { begunAt } from '../conversations/messages.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { running } from './turns.ts'

export type TurnFilesRow = Tables['turn_files']
export type FileOperationRow = Tables['file_operations']

export const selectFilesOf = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .orderBy('created_at')
    .orderBy('turn_id'),
)

/** The files after the newest turn that was not taken back. */
export const selectLastState = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .select('after_state')
    .where('conversation_key', '=', p.key)
    .where('rewound_by', 'is', null)
    .where('after_state', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('turn_id', 'desc')
    .limit(1),
)

/** The files before the first turn that was not taken back. */
export const selectFirstState = statement<{ key: string }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .select('before_state')
    .where('conversation_key', '=', p.key)
    .where('rewound_by', 'is', null)
    .where('before_state', 'is not', null)
    .orderBy('created_at')
    .limit(1),
)

/**
 * Before the key of a deleted conversation whose states are still kept; no key has a control
 * character.
 */
export const disowned = '\u0001'

/** Leaves of a deleted conversation only where its states are. */
export const disownTurnFiles = statement<{ key: string }>()((db, p) =>
  db
    .updateTable('turn_files')
    .set({ conversation_key: sql<string>`${sql.lit(disowned)} || conversation_key` })
    .set({ before_state: null, after_state: null, changes: null, left_out: null })
    .where('conversation_key', '=', p.key),
)

export const selectDisowned = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .select(['conversation_key', 'project_id', 'coordinator_id', 'top'])
    .distinct()
    .where('conversation_key', '>=', sql.lit(disowned))
    .where('conversation_key', '<', sql.lit('\u0002'))
    .limit(p.limit),
)

const askedState = sql.lit<FileOperationRow['state']>('asked')

/** Operations that were not completed, oldest first. */
export const selectOpenOperations = statement<{ limit: number }>()((db, p) =>
  db
    .selectFrom('file_operations')
    .selectAll()
    .where('state', '=', askedState)
    .orderBy('asked_at')
    .orderBy('id')
    .limit(p.limit),
)

export const selectOperationsOf = statement<{ key: string; limit: number }>()((db, p) =>
  db
    .selectFrom('file_operations')
    .selectAll()
    .where('conversation_key', '=', p.key)
    .orderBy('asked_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p.limit),
)

/** Running turns whose files are at this place, of any conversation. */
export const selectRunningAtTop = statement<{ coordinatorId: string; top: string }>()((db, p) =>
  db
    .selectFrom('turns')
    .innerJoin('turn_files', 'turn_files.turn_id', 'turns.id')
    .select('turns.id')
    .where('turns.state', '=', running)
    .where('turn_files.coordinator_id', '=', p.coordinatorId)
    .where('turn_files.top', '=', p.top),
)

/** Turns that ended since a time without a state. */
export const selectUnfinishedFiles = statement<{ since: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .innerJoin('turns', 'turns.id', 'turn_files.turn_id')
    .selectAll('turn_files')
    .where('turn_files.before_state', 'is not', null)
    .where('turn_files.created_at', '>', p.since)
    .where('turn_files.after_state', 'is', null)
    .where('turn_files.rewound_by', 'is', null)
    .where('turns.ended_at', 'is not', null)
    .limit(p.limit),
)

/** The state that the next turn in a workplace began with. */
export const selectNextState = statement<
  Pick<TurnFilesRow, 'coordinator_id' | 'created_at' | 'top'>
>()((db, p) =>
  db
    .selectFrom('turn_files')
    .select('before_state')
    .where('coordinator_id', '=', p.coordinator_id)
    .where('top', '=', p.top)
    .where('created_at', '>', p.created_at)
    .where('before_state', 'is not', null)
    .orderBy('created_at')
    .limit(1),
)

/**
 * Up to where a conversation stays: a message, and when the turn before or after which it is cut
 * began.
 */
interface Cut {
  readonly key: string
  readonly cut: number
  readonly begunAt: Instant
}

/**
 * CV13: an answer to a turn that stays is read before what was written meanwhile, so it stays too.
 */
const stays = ({
  cut,
  begunAt,
}: Cut) => sql<boolean>`(messages.seq <= ${cut} or messages.role = 'assistant' and exists (
  select 1 from turn_files where turn_id = messages.client_id and from_seq < ${cut} and turn_files.created_at <= ${begunAt}))`

/** Takes back the messages after a cut that were not taken back before. */
export const rewindMessages = statement<Cut & { by: string }>()((db, p) =>
  db
    .updateTable('messages')
    .set({ rewound_by: p.by })
    .where('conversation_key', '=', p.key)
    .where('rewound_by', 'is', null)
    .where(sql<boolean>`not ${stays(p)}`),
)

/** Brings back what a rewind took, up to a cut. */
export const bringBackRewound = statement<Cut & { by: string }>()((db, p) =>
  db
    .updateTable('messages')
    .set({ rewound_by: null })
    .where('conversation_key', '=', p.key)
    .where('rewound_by', '=', p.by)
    .where(stays(p))
    .returning('seq'),
)

/** The first that people wrote while a turn was answered. */
export const selectMeanwhile = statement<{
  key: string
  after: number
  before: number
  since: Instant
}>()((db, p) =>
  db
    .selectFrom('messages')
    .select('seq')
    .where('conversation_key', '=', p.key)
    .where('role', '=', sql.lit('user'))
    .where('seq', '>', p.after)
    .where('seq', '<', p.before)
    .where('created_at', '>', p.since)
    .orderBy('seq')
    .limit(1),
)

/** What was written from a number to a cut, also what was taken back, newest first. */
export const selectWritten = statement<Cut & { after: number; limit: number }>()((db, p) =>
  db
    .selectFrom('messages')
    .selectAll()
    .select(begunAt)
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.after)
    .where('visible', '=', 1)
    .where(stays(p))
    .orderBy('seq', 'desc')
    .limit(p.limit),
)

/** Conversations with states of before a time, in pages. */
export const selectOldFiles = statement<{ before: Instant; after: string; limit: number }>()(
  (db, p) =>
    db
      .selectFrom('turn_files')
      .select(['conversation_key', 'project_id', sql<Instant>`min(created_at)`.as('oldest')])
      .where('before_state', 'is not', null)
      .where('created_at', '<', p.before)
      .where('conversation_key', '>', p.after)
      .groupBy(['conversation_key', 'project_id'])
      .orderBy('conversation_key')
      .limit(p.limit),
)

/** Operations of a conversation that are looked at. */
export const maxOperations = 200
