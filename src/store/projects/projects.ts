/** Queries about projects and assignments, and their form for readers. */
import { sql } from 'kysely'
import { type ChosenSettings, effectiveSettings } from '../../domain/projects/settings.ts'
import type { Project } from '../../protocol/projects/project.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type ProjectRow = Tables['projects']

const selectProjectsPage = statement<PageParams>()((db, p) =>
  pageOf(db.selectFrom('projects').selectAll(), p, 'created_at', 'id'),
)

/** SE11: selects the projects with this folder. */
export const selectProjectsAt = statement<{ path: string }>()((db, p) =>
  db
    .selectFrom('projects')
    .select(['id', 'name'])
    .where('path', '=', p.path)
    .where('path', 'is not', null)
    .where(sql`substr(path, 1, 200)`, '=', sql`substr(${p.path}, 1, 200)`)
    .orderBy('created_at')
    .limit(2),
)

const selectPaths = statement()((db) =>
  db.selectFrom('projects').select('path').distinct().where('path', 'is not', null),
)

export const projectPaths = async (reader: Reader): Promise<string[]> =>
  (await reader.all(selectPaths, {})).flatMap(({ path }) => path ?? [])

/** The fields of lists that only name projects. */
export type NamedProject = Pick<Project, 'id' | 'name' | 'createdAt'>

const selectProjectsOfAgentPage = statement<PageParams & { agentId: string }>()((db, p) =>
  pageOf(
    db
      .selectFrom('assignments')
      .innerJoin('projects', 'projects.id', 'assignments.project_id')
      .select(['projects.id', 'projects.name', 'projects.created_at as createdAt'])
      .where('assignments.agent_id', '=', p.agentId),
    p,
    'projects.created_at',
    'projects.id',
  ),
)

export const projectsOfAgentPage = (
  reader: Reader,
  agentId: string,
  params: PageParams,
): Promise<NamedProject[]> => reader.all(selectProjectsOfAgentPage, { ...params, agentId })

/**
 * Selects the agents of the projects that `selectProjectsPage` finds with the same key and limit.
 */
const selectAgentsOfProjectsPage = statement<PageParams>()((db, p) =>
  db
    .selectFrom('assignments')
    .select(['project_id', 'agent_id'])
    .where('project_id', 'in', () =>
      db
        .selectFrom('projects')
        .select('id')
        .where((each) =>
          each(each.refTuple('created_at', 'id'), '<', each.tuple(p.createdAt, p.id)),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(p.limit),
    )
    .orderBy('created_at')
    .orderBy('agent_id'),
)

const selectAgentIdsOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('assignments')
    .select('agent_id')
    .where('project_id', '=', p.projectId)
    .orderBy('created_at')
    .orderBy('agent_id'),
)

export function projectOf(row: ProjectRow, agentIds: readonly string[]): Project {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    settings: effectiveSettings(chosenSettings(row)),
    agentIds: [...agentIds],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export const chosenSettings = (row: ProjectRow): ChosenSettings => JSON.parse(row.settings)

export async function findProject(reader: Reader, id: string): Promise<Project | undefined> {
  const row = await reader.row('projects', { id })
  return row && projectOf(row, await agentIdsOf(reader, id))
}

export async function agentIdsOf(reader: Reader, projectId: string): Promise<string[]> {
  const rows = await reader.all(selectAgentIdsOfProject, { projectId })
  return rows.map((row) => row.agent_id)
}

export async function projectsPage(reader: Reader, params: PageParams): Promise<Project[]> {
  const rows = await reader.all(selectProjectsPage, params)
  const assigned = await reader.all(selectAgentsOfProjectsPage, params)
  const agentIds = Map.groupBy(assigned, (each) => each.project_id)
  return rows.map((row) =>
    projectOf(
      row,
      (agentIds.get(row.id) ?? []).map((each) => each.agent_id),
    ),
  )
}

export const selectAssignment = statement<{ project_id: string; agent_id: string }>()((db, p) =>
  db
    .selectFrom('assignments')
    .select(['created_at', 'isolation'])
    .where('project_id', '=', p.project_id)
    .where('agent_id', '=', p.agent_id),
)
