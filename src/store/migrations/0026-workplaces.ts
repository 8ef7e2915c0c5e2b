/**
 * CX9: where a conversation works, the worktrees of conversations in the register, and a turn that a person has begin beside another.
 * Conversations that are there stay in the project's own folder.
 */
import type { Migration } from './migration.ts'

export const workplaces: Migration = {
  version: 26,
  name: 'workplaces',
  statements: ({ text }) => [
    `alter table conversations add column workplace ${text}`,
    `alter table worktrees add column conversation_key ${text}`,
    'create index worktrees_of_conversation on worktrees (conversation_key, created_at) where conversation_key is not null',
    'alter table turns add column begins_beside bigint not null default 0',
    "create index turns_running_at on turns (project_id) where state = 'running'",
    // Their beginning: a whole path may be longer than PostgreSQL takes into an index.
    'create index projects_by_path on projects (substr(path, 1, 200)) where path is not null',
  ],
}
