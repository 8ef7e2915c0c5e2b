/** The register of worktrees, what makes a fresh one runnable, and questions to coordinators (WT). */
import type { Migration } from './migration.ts'

export const worktreeTables: Migration = {
  version: 14,
  name: 'worktrees',
  statements: ({ text, clustered }) => [
    `create table worktrees (
      id ${text} primary key,
      project_id ${text} not null,
      user_session_id ${text} not null,
      account_id ${text} not null,
      role ${text} not null,
      agent_id ${text} not null,
      coordinator_id ${text} not null,
      kind ${text} not null,
      folder ${text} not null,
      top ${text} not null,
      branch ${text},
      base_branch ${text},
      note ${text},
      set_up ${text},
      created_at ${text} not null,
      last_used_at ${text} not null,
      removed_at ${text},
      removed_by ${text}
    )`,
    // A place is in the register once.
    'create unique index worktrees_places on worktrees (coordinator_id, top) where removed_at is null',
    'create index worktrees_of_project on worktrees (project_id, created_at, id)',
    'create index worktrees_of_role on worktrees (user_session_id, role, created_at)',
    `create table set_ups (
      project_id ${text} primary key,
      command ${text} not null,
      copy ${text} not null
    )`,
    `create table questions (
      id ${text} primary key,
      coordinator_id ${text} not null,
      epoch bigint not null,
      kind ${text} not null,
      ask ${text} not null,
      project_id ${text} not null,
      worktree_id ${text},
      asked_by ${text} not null,
      asked_at ${text} not null,
      deadline ${text} not null,
      answered_at ${text}
    )`,
    'create index questions_open on questions (coordinator_id, deadline) where answered_at is null',
    'create index questions_oldest on questions (asked_at)',
    `create table question_answers (
      question_id ${text} not null,
      part bigint not null,
      said ${text} not null,
      primary key (question_id, part)
    ) ${clustered}`,
  ],
}
