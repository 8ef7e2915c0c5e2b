/** AG6: agents that are at their vendor's limit, until when, and whether they go on by themselves then. */
import type { Migration } from './migration.ts'

export const limits: Migration = {
  version: 15,
  name: 'limits',
  statements: ({ text }) => [
    `alter table role_agents add column limited_until ${text}`,
    `alter table role_agents add column limited_turn_id ${text}`,
    `alter table role_agents add column goes_on_by ${text}`,
    'alter table role_agents add column goes_on_left bigint not null default 0',
    'create index role_agents_limited on role_agents (limited_until) where limited_until is not null',
  ],
}
