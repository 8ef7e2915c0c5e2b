/** Which reports of process exits were decided, and the newest epoch each coordinator has reported in (PX6). */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type ReportKey = Omit<Tables['exit_reports'], 'created_at'>

export const selectExitReport = statement<ReportKey>()((db, p) =>
  db
    .selectFrom('exit_reports')
    .select('created_at')
    .where('reporter_id', '=', p.reporter_id)
    .where('report_id', '=', p.report_id),
)

export const insertExitReport = statement<Tables['exit_reports']>()((db, p) =>
  db.insertInto('exit_reports').values({ reporter_id: p.reporter_id, report_id: p.report_id, created_at: p.created_at }),
)

export const selectEpoch = statement<{ coordinatorId: string }>()((db, p) =>
  db.selectFrom('coordinator_epochs').select('epoch').where('coordinator_id', '=', p.coordinatorId),
)

export const keepEpoch = statement<Tables['coordinator_epochs']>()((db, p) =>
  db
    .insertInto('coordinator_epochs')
    .values({ coordinator_id: p.coordinator_id, epoch: p.epoch })
    .onConflict((conflict) => conflict.column('coordinator_id').doUpdateSet({ epoch: p.epoch })),
)
