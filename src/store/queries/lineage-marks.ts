/** What happened in a work session, as marks on its line (UI2): the newest checkpoints and approvals, without their contents. */
import type { Lineage } from '../../protocol/lineage.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

const selectCheckpoints = statement<{ id: string; limit: number }>()((db, p) =>
  db
    .selectFrom('checkpoints')
    .select(['number', 'at', 'reason', 'subject'])
    .where('session_id', '=', p.id)
    .orderBy('number', 'desc')
    .limit(p.limit),
)

const selectApprovals = statement<{ id: string; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select(['id', 'submitted_at as submittedAt', 'resolved_at as resolvedAt', 'status', 'checkpoint_type as checkpointType'])
    .where('session_id', '=', p.id)
    .orderBy('id', 'desc')
    .limit(p.limit),
)

type Marks = Pick<Lineage['items'][number], 'checkpoints' | 'approvals'>

/** Newest first. */
export const marksOf = async (reader: Reader, id: string, limit: number): Promise<Marks> => ({
  checkpoints: await reader.all(selectCheckpoints, { id, limit }),
  approvals: await reader.all(selectApprovals, { id, limit }),
})
