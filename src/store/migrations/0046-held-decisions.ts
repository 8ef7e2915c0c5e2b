/**
 * 46: AP15: decisions that are held for some seconds, and the index that finds those that are due.
 */
import { plainSql } from './migration.ts'

export const heldDecisions = plainSql(
  ({ text }) => `
    alter table human_approvals add column held_by ${text};
    alter table human_approvals add column held_until ${text};
    alter table human_approvals add column held_status ${text};
    alter table human_approvals add column held_decision ${text};
    create index human_approvals_held on human_approvals (held_until)
      where status = 'pending' and held_until is not null;
  `,
)
