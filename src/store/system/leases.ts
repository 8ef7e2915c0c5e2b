/** Queries about leases and about rows whose time is over. */
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'

// Lease rows (SC5): one name, one holder, until a moment of the database's clock.

interface Claim {
  readonly name: string
  readonly holder: string
  readonly now: Instant
  readonly until: Instant
  /** A time later than any current lease ends. */
  readonly never: Instant
}

/**
 * Taken when it is free or has run out, made longer by who has it. One that is held for longer than
 * anybody holds one was written before the clock was put back, and counts as run out. Two at once
 * wait for each other at the row.
 */
export const claimLease = statement<Claim>()((db, p) =>
  db
    .insertInto('leases')
    .values({ name: p.name, holder: p.holder, held_until: p.until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder: p.holder, held_until: p.until })
        .where(({ eb, or }) =>
          or([
            eb('leases.holder', '=', p.holder),
            eb('leases.held_until', '<=', p.now),
            eb('leases.held_until', '>', p.never),
          ]),
        ),
    ),
)

export const selectLease = statement<{ name: string }>()((db, p) =>
  db.selectFrom('leases').select(['holder', 'held_until']).where('name', '=', p.name),
)

export const deleteLease = statement<{ name: string; holder: string }>()((db, p) =>
  db.deleteFrom('leases').where('name', '=', p.name).where('holder', '=', p.holder),
)

interface Expired {
  readonly before: Instant
  readonly limit: number
}

/**
 * Clearing away what has run out, a bounded number of rows at a time. Each answers what it removed.
 */
export const deleteExpiredPasses = statement<Expired>()((db, p) =>
  db
    .deleteFrom('passes')
    .where('hash', 'in', (eb) =>
      eb
        .selectFrom('passes')
        .select('hash')
        .where('expires_at', '<=', p.before)
        .orderBy('expires_at')
        .limit(p.limit),
    )
    .returning('hash'),
)

export const deleteExpiredCredentials = statement<Expired>()((db, p) =>
  db
    .deleteFrom('credentials')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('credentials')
        .select('id')
        .where('expires_at', '<=', p.before)
        .orderBy('expires_at')
        .limit(p.limit),
    )
    .returning('id'),
)

/** The launch itself stays. */
export const clearOutputsBefore = statement<Expired>()((db, p) =>
  db
    .updateTable('launches')
    .set({ output: '' })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('launches')
        .select('id')
        .where('output', '<>', '')
        .where('ended_at', '<=', p.before)
        .orderBy('ended_at')
        .limit(p.limit),
    )
    .returning('id'),
)

export const deleteReceiptsBefore = statement<Expired>()((db, p) =>
  db
    .deleteFrom('receipts')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('credential_id', 'operation', 'key'),
        'in',
        selectFrom('receipts')
          .select(['credential_id', 'operation', 'key'])
          .where('created_at', '<=', p.before)
          .orderBy('created_at')
          .limit(p.limit)
          .$asTuple('credential_id', 'operation', 'key'),
      ),
    )
    .returning('key'),
)

export const deleteExitReportsBefore = statement<Expired>()((db, p) =>
  db
    .deleteFrom('exit_reports')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('reporter_id', 'report_id'),
        'in',
        selectFrom('exit_reports')
          .select(['reporter_id', 'report_id'])
          .where('created_at', '<=', p.before)
          .orderBy('created_at')
          .limit(p.limit)
          .$asTuple('reporter_id', 'report_id'),
      ),
    )
    .returning('report_id'),
)
