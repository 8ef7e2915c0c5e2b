/** AG13: what `agents doctor` found out about an agent. Existing ones were never probed. */
import type { Migration } from './migration.ts'

export const agentReports: Migration = {
  version: 35,
  name: 'agent-reports',
  statements: ({ text }) => [`alter table agents add column report ${text}`],
}
