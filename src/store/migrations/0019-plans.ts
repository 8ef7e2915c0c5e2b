/**
 * AP8, WK5, WK6: which agent session was told of a decision, work that a person has dismissed, and the indexes by which the next task
 * of a plan and the approvals about a task are found.
 */
import type { Migration } from './migration.ts'

export const plans: Migration = {
  version: 19,
  name: 'plans',
  statements: ({ text }) => [
    `alter table human_approvals add column told_to ${text}`,
    // An agent that asked and is still there has read the decision; a session that comes later is told.
    "update human_approvals set told_to = asked_by_agent_session_id where status <> 'pending'",
    'create index approvals_about_task on human_approvals (project_id, task_id, id) where task_id is not null',
    `alter table sessions add column dismissed_at ${text}`,
    "create index tasks_pending on tasks (session_id, assigned_to, phase, created_at, id) where status = 'pending'",
    'create index tasks_begun on tasks (session_id) where started_at is not null',
  ],
}
