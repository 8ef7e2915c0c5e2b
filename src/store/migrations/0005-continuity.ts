/** The tables for continuing work after an interruption: approaches, checkpoints, artifacts, and the columns of resuming. */
import type { Migration } from './migration.ts'

export const continuity: Migration = {
  version: 5,
  name: 'continuity',
  statements: ({ text, clustered }) => [
    // The newest work session that was resumed from it; nobody is offered to resume it again then.
    `alter table sessions add column resumed_by ${text}`,
    // RS3: how often it could not be resumed, and why it is not tried any more.
    'alter table sessions add column resume_failures integer not null default 0',
    `alter table sessions add column set_aside ${text}`,
    // CK2: the last error, as JSON.
    `alter table sessions add column error ${text}`,
    'create index sessions_to_resume on sessions (started_at, id) where interruption_reason is not null and resumed_by is null',
    // RS1: what is carried over, without reading what is done.
    "create index tasks_unfinished on tasks (session_id, created_at, id) where status <> 'completed' and status <> 'failed'",
    `create table approaches (
      project_id ${text} not null,
      id ${text} not null,
      session_id ${text} not null,
      kind ${text} not null,
      first_kind ${text} not null,
      number bigint not null,
      date ${text} not null,
      category ${text} not null,
      description ${text} not null,
      details ${text},
      evidence ${text},
      learnings ${text} not null,
      reusable integer not null,
      failure_reason ${text},
      error ${text},
      avoid integer not null,
      priority ${text},
      next_to_try integer not null,
      note ${text},
      history ${text} not null,
      recorded_at ${text} not null,
      updated_at ${text} not null,
      primary key (project_id, id)
    )`,
    'create index approaches_by_number on approaches (project_id, first_kind, number)',
    'create index approaches_of_session on approaches (session_id, recorded_at, id)',
    // RS4: each of the lists that an agent is told, newest first, without reading those that are in none.
    "create index approaches_verified on approaches (session_id, updated_at, id) where kind = 'verified'",
    "create index approaches_to_avoid on approaches (session_id, updated_at, id) where kind = 'failed' and avoid = 1",
    "create index approaches_failed on approaches (session_id, updated_at, id) where kind = 'failed' and avoid = 0",
    "create index approaches_to_try on approaches (session_id, updated_at, id) where kind = 'untried' and next_to_try = 1",
    `create table checkpoints (
      session_id ${text} not null,
      number bigint not null,
      at ${text} not null,
      reason ${text} not null,
      subject ${text},
      error ${text},
      primary key (session_id, number)
    ) ${clustered}`,
    `create table artifacts (
      session_id ${text} not null,
      name ${text} not null,
      folded_name ${text} not null,
      upload_id ${text} not null,
      size bigint not null,
      media_type ${text} not null,
      sha256 ${text} not null,
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (session_id, name)
    )`,
    // The mirror may lie on a disk that does not tell A from a.
    'create unique index artifacts_by_folded_name on artifacts (session_id, folded_name)',
    // There while bytes arrive and no artifact has them yet.
    `create table uploads (
      id ${text} primary key,
      created_at ${text} not null
    )`,
    'create index uploads_oldest on uploads (created_at)',
    `create table upload_parts (
      upload_id ${text} not null,
      number bigint not null,
      bytes ${text} not null,
      primary key (upload_id, number)
    ) ${clustered}`,
  ],
}
