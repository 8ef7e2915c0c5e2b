/** Clearing away what has run out, a bounded number of rows at a time. Each answers what it removed. */
import type { Instant } from '../../domain/instant.ts'
import { statement } from '../statement.ts'

interface Expired {
  readonly before: Instant
  readonly limit: number
}

export const deleteExpiredSignInCodes = statement<Expired>()((db, p) =>
  db
    .deleteFrom('sign_in_codes')
    .where('hash', 'in', (eb) =>
      eb.selectFrom('sign_in_codes').select('hash').where('expires_at', '<=', p.before).orderBy('expires_at').limit(p.limit),
    )
    .returning('hash'),
)

export const deleteExpiredCredentials = statement<Expired>()((db, p) =>
  db
    .deleteFrom('credentials')
    .where('id', 'in', (eb) =>
      eb.selectFrom('credentials').select('id').where('expires_at', '<=', p.before).orderBy('expires_at').limit(p.limit),
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
