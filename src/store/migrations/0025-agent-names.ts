/** CX5: how the agent of a process names itself, by which its way to speak of errors is known. */
import type { Migration } from './migration.ts'

export const agentNames: Migration = {
  version: 25,
  name: 'agent-names',
  statements: ({ text }) => [`alter table launches add column agent_name ${text}`],
}
