/** The tables of projects and the agents assigned to them. Part of tables.ts. */
import type { Instant } from '../../domain/instant.ts'
import { column, fixed, key } from './column.ts'

export const projectTables = {
  projects: {
    id: key<string>(),
    name: column<string>(),
    path: column<string | null>(null),
    settings: column<string>(),
    created_at: fixed<Instant>(),
    updated_at: column<Instant>(),
  },

  assignments: {
    project_id: key<string>(),
    agent_id: key<string>(),
    isolation: column<string>(),
    created_at: fixed<Instant>(),
  },
}
