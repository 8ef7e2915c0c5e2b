/** A task may be in no work session yet (WK4). A column cannot be given up being `not null` on SQLite, so the table is made anew. */
import type { Migration } from './migration.ts'

export const tasksBeforeWork: Migration = {
  version: 4,
  name: 'tasks before work',
  statements: ({ text }) => [
    `create table tasks_anew (
      project_id ${text} not null,
      id ${text} not null,
      session_id ${text},
      phase integer not null,
      task_type ${text} not null,
      title ${text} not null,
      description ${text},
      status ${text} not null,
      progress_percent integer not null,
      assigned_to ${text},
      depends_on ${text} not null,
      blocked_by ${text},
      started_at ${text},
      completed_at ${text},
      result ${text},
      created_at ${text} not null,
      updated_at ${text} not null,
      primary key (project_id, id)
    )`,
    `insert into tasks_anew
      select project_id, id, session_id, phase, task_type, title, description, status, progress_percent, assigned_to, depends_on,
        blocked_by, started_at, completed_at, result, created_at, updated_at
      from tasks`,
    'drop table tasks',
    'alter table tasks_anew rename to tasks',
    'create index tasks_newest on tasks (project_id, created_at, id)',
    'create index tasks_by_status on tasks (project_id, status, created_at, id)',
    'create index tasks_of_session on tasks (session_id, created_at, id)',
    "create index tasks_in_progress on tasks (assigned_to, project_id) where status = 'in_progress'",
  ],
}
