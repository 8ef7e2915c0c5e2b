/** Queries about the files of turns and what is done with them (FS7-FS10). */
import { sql } from 'kysely'
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import { running } from './turns.ts'

export type TurnFilesRow = Tables['turn_files']
export type FileOperationRow = Tables['file_operations']

export const insertTurnFiles = statement<TurnFilesRow>()((db, p) =>
  db.insertInto('turn_files').values({
    turn_id: p.turn_id,
    conversation_key: p.conversation_key,
    project_id: p.project_id,
    coordinator_id: p.coordinator_id,
    top: p.top,
    before_state: p.before_state,
    after_state: p.after_state,
    changes: p.changes,
    left_out: p.left_out,
    from_seq: p.from_seq,
    kept_after: p.kept_after,
    rewound_by: p.rewound_by,
    created_at: p.created_at,
  }),
)

export const updateTurnFiles = statement<TurnFilesRow>()((db, p) =>
  db
    .updateTable('turn_files')
    .set({
      coordinator_id: p.coordinator_id,
      top: p.top,
      before_state: p.before_state,
      after_state: p.after_state,
      changes: p.changes,
      left_out: p.left_out,
      rewound_by: p.rewound_by,
    })
    .where('turn_id', '=', p.turn_id),
)

export const selectTurnFiles = statement<{ turnId: string }>()((db, p) =>
  db.selectFrom('turn_files').selectAll().where('turn_id', '=', p.turnId),
)

/** The files of a conversation's turns, oldest first. */
export const selectFilesOf = statement<{ key: string }>()((db, p) =>
  db.selectFrom('turn_files').selectAll().where('conversation_key', '=', p.key).orderBy('created_at').orderBy('turn_id'),
)

export const deleteTurnFilesOf = statement<{ key: string }>()((db, p) =>
  db.deleteFrom('turn_files').where('conversation_key', '=', p.key),
)

export const insertFileOperation = statement<FileOperationRow>()((db, p) =>
  db.insertInto('file_operations').values({
    id: p.id,
    kind: p.kind,
    state: p.state,
    conversation_key: p.conversation_key,
    turn_id: p.turn_id,
    project_id: p.project_id,
    coordinator_id: p.coordinator_id,
    top: p.top,
    ask: p.ask,
    result: p.result,
    asked_by: p.asked_by,
    asked_at: p.asked_at,
    ended_at: p.ended_at,
  }),
)

export const updateFileOperation = statement<FileOperationRow>()((db, p) =>
  db.updateTable('file_operations').set({ state: p.state, result: p.result, ended_at: p.ended_at }).where('id', '=', p.id),
)

export const selectFileOperation = statement<{ id: string }>()((db, p) =>
  db.selectFrom('file_operations').selectAll().where('id', '=', p.id),
)

const asked = sql.lit<FileOperationRow['state']>('asked')

/** Operations that were not completed, oldest first. */
export const selectOpenOperations = statement<{ limit: number }>()((db, p) =>
  db.selectFrom('file_operations').selectAll().where('state', '=', asked).orderBy('asked_at').orderBy('id').limit(p.limit),
)

/** Operations of a conversation, newest first. */
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

/** Turns that ended since a time without a state, in workplaces that no later turn has used. */
export const selectUnfinishedFiles = statement<{ since: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .innerJoin('turns', 'turns.id', 'turn_files.turn_id')
    .selectAll('turn_files')
    .where('turn_files.before_state', 'is not', null)
    .where('turn_files.created_at', '>', p.since)
    .where('turn_files.after_state', 'is', null)
    .where('turns.ended_at', 'is not', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('turn_files as later')
            .select('later.turn_id')
            .whereRef('later.top', '=', 'turn_files.top')
            .whereRef('later.created_at', '>', 'turn_files.created_at'),
        ),
      ),
    )
    .limit(p.limit),
)

/** Takes back the messages after a number that were not taken back before. */
export const rewindMessages = statement<{ key: string; after: number; by: string }>()((db, p) =>
  db
    .updateTable('messages')
    .set({ rewound_by: p.by })
    .where('conversation_key', '=', p.key)
    .where('seq', '>', p.after)
    .where('rewound_by', 'is', null),
)

/** Brings messages back up to a number. */
export const bringBackMessages = statement<{ key: string; through: number }>()((db, p) =>
  db
    .updateTable('messages')
    .set({ rewound_by: null })
    .where('conversation_key', '=', p.key)
    .where('seq', '<=', p.through)
    .where('rewound_by', 'is not', null),
)

export const bringBackRewound = statement<{ key: string; by: string }>()((db, p) =>
  db.updateTable('messages').set({ rewound_by: null }).where('conversation_key', '=', p.key).where('rewound_by', '=', p.by),
)

/** Conversations with states of before a time, in pages. */
export const selectOldFiles = statement<{ before: Instant; after: string; limit: number }>()((db, p) =>
  db
    .selectFrom('turn_files')
    .select(['conversation_key', 'project_id', sql<Instant>`min(created_at)`.as('oldest')])
    .groupBy(['conversation_key', 'project_id'])
    .where('before_state', 'is not', null)
    .where('created_at', '<', p.before)
    .where('conversation_key', '>', p.after)
    .orderBy('conversation_key')
    .limit(p.limit),
)
