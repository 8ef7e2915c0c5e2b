/** Allowances that a person has given an agent for a time (AG6). */
import type { Migration } from './migration.ts'

export const allowances: Migration = {
  version: 7,
  name: 'allowances',
  statements: ({ text }) => [
    `create table allowances (
      id ${text} primary key,
      project_id ${text} not null,
      agent_id ${text} not null,
      scope ${text} not null,
      tool_kind ${text} not null,
      title ${text} not null,
      folder ${text},
      likeness ${text},
      approval_id bigint not null,
      created_by ${text} not null,
      created_at ${text} not null,
      expires_at ${text} not null,
      revoked_at ${text},
      revoked_by ${text}
    )`,
    'create index allowances_in_force on allowances (project_id, agent_id, expires_at) where revoked_at is null',
    'create index allowances_of_giver on allowances (created_by) where revoked_at is null',
    'create index allowances_of_agent on allowances (agent_id) where revoked_at is null',
    'create index allowances_newest on allowances (project_id, created_at, id)',
    `alter table human_approvals add column likeness ${text}`,
  ],
}
