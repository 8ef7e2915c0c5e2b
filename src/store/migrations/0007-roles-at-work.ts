/** Which agent in a role was at a work session, found when that is resumed (RS2). */
import type { Migration } from './migration.ts'

export const rolesAtWork: Migration = {
  version: 7,
  name: 'roles at work',
  statements: () => [
    'create index role_agents_at_work on role_agents (work_session_id, created_at) where work_session_id is not null',
  ],
}
