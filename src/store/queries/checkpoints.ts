/** When the state of work sessions was saved (CK1), as rows and as readers see them. */
import type { Instant } from '../../domain/instant.ts'
import type { Checkpoint } from '../../protocol/checkpoint.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'
import type { Tables } from '../tables.ts'

export type CheckpointRow = Tables['checkpoints']

export const insertCheckpoint = statement<CheckpointRow>()((db, p) =>
  db.insertInto('checkpoints').values({
    session_id: p.session_id,
    number: p.number,
    at: p.at,
    reason: p.reason,
    subject: p.subject,
    error: p.error,
    state: p.state,
  }),
)

export const selectLastCheckpoint = statement<{ workSessionId: string }>()((db, p) =>
  db.selectFrom('checkpoints').selectAll().where('session_id', '=', p.workSessionId).orderBy('number', 'desc').limit(1),
)

const selectNewest = statement<{ workSessionId: string; limit: number }>()((db, p) =>
  db.selectFrom('checkpoints').selectAll().where('session_id', '=', p.workSessionId).orderBy('number', 'desc').limit(p.limit),
)

export const checkpointOf = ({ number, at, reason, subject, error }: CheckpointRow): Checkpoint => ({
  number,
  at,
  reason,
  subject,
  error: error === null ? null : JSON.parse(error),
})

/** Newest first. */
export const checkpointsOf = async (reader: Reader, workSessionId: string, limit: number): Promise<Checkpoint[]> =>
  (await reader.all(selectNewest, { workSessionId, limit })).map(checkpointOf)

const selectLastChanges = statement<{ workSessionId: string }>()((db, p) =>
  db
    .selectFrom('sessions')
    .select((eb) => [
      'started_at as startedAt',
      'ended_at as endedAt',
      eb
        .selectFrom('tasks')
        .select(({ fn }) => fn.max('tasks.updated_at').as('at'))
        .where('tasks.session_id', '=', p.workSessionId)
        .as('taskAt'),
      eb
        .selectFrom('approaches')
        .select(({ fn }) => fn.max('approaches.updated_at').as('at'))
        .where('approaches.session_id', '=', p.workSessionId)
        .as('approachAt'),
      eb
        .selectFrom('artifacts')
        .select(({ fn }) => fn.max('artifacts.updated_at').as('at'))
        .where('artifacts.session_id', '=', p.workSessionId)
        .as('artifactAt'),
    ])
    .where('id', '=', p.workSessionId),
)

/** When anything in a work session was changed last, and when its state was saved last. */
export async function lastChange(reader: Reader, workSessionId: string): Promise<{ changedAt: Instant; savedAt: Instant }> {
  const found = await reader.first(selectLastChanges, { workSessionId })
  const saved = await reader.first(selectLastCheckpoint, { workSessionId })
  const { startedAt = '', endedAt, taskAt, approachAt, artifactAt } = found ?? {}
  const times = [startedAt, endedAt, taskAt, approachAt, artifactAt].map((at) => at ?? '')
  return { changedAt: times.sort().at(-1) ?? '', savedAt: saved?.at ?? startedAt }
}
