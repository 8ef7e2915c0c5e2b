/** AP7: whom the files name that a decision was brought back from; nothing for what was decided here. */
import type { Migration } from './migration.ts'

export const importedDecisions: Migration = {
  version: 18,
  name: 'imported-decisions',
  statements: ({ text }) => [`alter table human_approvals add column imported_decider ${text}`],
}
