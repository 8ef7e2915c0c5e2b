/** Which agent works on which project: the rows behind `agentIds` and `projectIds`. */
import { statement } from '../statement.ts'
import type { Tables } from '../tables.ts'

type Pair = Omit<Tables['assignments'], 'created_at'>

export const insertAssignment = statement<Tables['assignments']>()((db, p) =>
  db.insertInto('assignments').values({ project_id: p.project_id, agent_id: p.agent_id, created_at: p.created_at }),
)

export const selectAssignment = statement<Pair>()((db, p) =>
  db.selectFrom('assignments').select('created_at').where('project_id', '=', p.project_id).where('agent_id', '=', p.agent_id),
)

export const deleteAssignment = statement<Pair>()((db, p) =>
  db.deleteFrom('assignments').where('project_id', '=', p.project_id).where('agent_id', '=', p.agent_id),
)

export const deleteAssignmentsOfProject = statement<{ projectId: string }>()((db, p) =>
  db.deleteFrom('assignments').where('project_id', '=', p.projectId),
)

export const deleteAssignmentsOfAgent = statement<{ agentId: string }>()((db, p) =>
  db.deleteFrom('assignments').where('agent_id', '=', p.agentId),
)
