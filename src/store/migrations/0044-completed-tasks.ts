/**
 * 44: RS1: what the work sessions of a line have completed, newest first, for the resume context.
 */
import { plainSql } from './migration.ts'

export const completedTasks = plainSql(
  () => `
    create index tasks_completed on tasks (session_id, completed_at, id)
      where status = 'completed';
  `,
)
