/** Agents in roles whose process was ended and comes back for what waits (AG7). */
import type { Migration } from './migration.ts'

export const sleepingRoles: Migration = {
  version: 24,
  name: 'sleeping-roles',
  statements: ({ text }) => [
    `alter table role_agents add column asleep_at ${text}`,
    'create index role_agents_asleep on role_agents (asleep_at) where asleep_at is not null',
  ],
}
