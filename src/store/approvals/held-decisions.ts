/** Queries about decisions that are held (AP15): columns of the table `human_approvals`. */
import { sql } from 'kysely'
import type { Held } from '../../domain/approvals/lifecycle.ts'
import type { Instant } from '../../domain/instant.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'

type ApprovalRow = Tables['human_approvals']

/** A literal, so that the partial index is used. */
const pending = sql.lit<ApprovalRow['status']>('pending')

/** Selects held decisions whose time is over, oldest first. */
export const selectHeldUntil = statement<{ now: Instant; limit: number }>()((db, p) =>
  db
    .selectFrom('human_approvals')
    .select('id')
    .where('status', '=', pending)
    .where('held_until', 'is not', null)
    .where('held_until', '<=', p.now)
    .orderBy('held_until')
    .limit(p.limit),
)

/** The decision that is held, or was when it ended otherwise. */
export function heldOf({
  held_by: by,
  held_until: until,
  held_status: status,
}: Pick<ApprovalRow, 'held_by' | 'held_until' | 'held_status'>): Held | null {
  return by === null || until === null || status === null ? null : { by, until, status }
}
