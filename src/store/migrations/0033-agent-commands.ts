/** The commands that the agent of a chat offers, for pages that are opened later. */
import type { Migration } from './migration.ts'

export const agentCommands: Migration = {
  version: 33,
  name: 'agent-commands',
  statements: ({ text }) => [`alter table contexts add column commands ${text}`],
}
