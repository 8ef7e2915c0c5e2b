/** Queries about agents, and their form for readers. `agentOf` masks the environment (SE7). */
import { masked } from '../../domain/agents/environment.ts'
import { isolationOf } from '../../domain/agents/isolation.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import { knownAgentOf } from '../../protocol/agents/known-agents.ts'
import { maskedValue } from '../../protocol/agents/masked-value.ts'
import type { AgentReport } from '../../protocol/agents/report.ts'
import { fields, jsonIn } from '../fields.ts'
import type { PageParams } from '../page-cursor.ts'
import { pageOf } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

export type AgentRow = Tables['agents']

export const selectEnvironmentsOfAll = statement()((db) =>
  db.selectFrom('agents').select(['id', 'name', 'env']).orderBy('id'),
)

export const selectEnvironments = statement()((db) =>
  db.selectFrom('agents').select(['id', 'name', 'env']).where('env', '<>', '{}').orderBy('id'),
)

export const selectAgentByPasskey = statement<{ hash: string }>()((db, p) =>
  db.selectFrom('agents').select(['id', 'name']).where('passkey_hash', '=', p.hash),
)

const selectAgentsPage = statement<PageParams>()((db, p) =>
  pageOf(db.selectFrom('agents').selectAll(), p, 'created_at', 'id'),
)

/** Selects the projects of the agents that `selectAgentsPage` finds with the same key and limit. */
const selectProjectsOfAgentsPage = statement<PageParams>()((db, p) =>
  db
    .selectFrom('assignments')
    .select(['project_id', 'agent_id'])
    .where('agent_id', 'in', () =>
      db
        .selectFrom('agents')
        .select('id')
        .where((each) =>
          each(each.refTuple('created_at', 'id'), '<', each.tuple(p.createdAt, p.id)),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(p.limit),
    )
    .orderBy('created_at')
    .orderBy('project_id'),
)

const selectProjectIdsOfAgent = statement<{ agentId: string }>()((db, p) =>
  db
    .selectFrom('assignments')
    .select('project_id')
    .where('agent_id', '=', p.agentId)
    .orderBy('created_at')
    .orderBy('project_id'),
)

/** In the order of assignment: the first ACP agent of a project is the default. */
const selectAgentsOfProject = statement<{ projectId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('assignments')
    .innerJoin('agents', 'agents.id', 'assignments.agent_id')
    .selectAll('agents')
    .where('assignments.project_id', '=', p.projectId)
    .orderBy('assignments.created_at')
    .orderBy('agents.id')
    .limit(p.limit),
)

const selectProjectsOfAgentsOfProject = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('assignments')
    .select(['project_id', 'agent_id'])
    .where('agent_id', 'in', (eb) =>
      eb.selectFrom('assignments').select('agent_id').where('project_id', '=', p.projectId),
    )
    .orderBy('created_at')
    .orderBy('project_id'),
)

export function agentOf(row: AgentRow, projectIds: readonly string[]): Agent {
  return {
    ...fields(
      row,
      'id',
      'name',
      'protocol',
      'command',
      'role',
      'max_processes',
      'hold_seconds',
      'runs_on',
    ),
    ...fields(row, 'created_at', 'updated_at'),
    args: JSON.parse(row.args),
    env: masked(JSON.parse(row.env), maskedValue),
    ...isolationOf(row.isolation),
    projectIds: [...projectIds],
    report: jsonIn(row.report),
    neverAsks: neverAsks(row),
    mixesConversations: mixesConversations(row),
  }
}

/** As `agents doctor` has found out; of one that was never tried, as is known. */
function neverAsks({ report, command, args }: AgentRow): boolean {
  if (report !== null) return (JSON.parse(report) as AgentReport).can['asks'] === false
  return knownAgentOf({ command, args: JSON.parse(args) })?.quirks.includes('never_asks') ?? false
}

/** CX21: as `agents doctor` has found out. */
const mixesConversations = ({ report }: Pick<AgentRow, 'report'>): boolean =>
  report !== null && (JSON.parse(report) as AgentReport).can['mixes'] === true

/** How many contexts a process of the agent may hold (CX13); null: any number. */
export async function contextsAllowed(reader: Reader, agentId: string): Promise<1 | null> {
  const row = await reader.row('agents', { id: agentId })
  return row && mixesConversations(row) ? 1 : null
}

export async function findAgent(reader: Reader, id: string): Promise<Agent | undefined> {
  const row = await reader.row('agents', { id })
  return row && agentOf(row, await projectIdsOf(reader, id))
}

export async function projectIdsOf(reader: Reader, agentId: string): Promise<string[]> {
  const rows = await reader.all(selectProjectIdsOfAgent, { agentId })
  return rows.map((row) => row.project_id)
}

export async function agentsPage(reader: Reader, params: PageParams): Promise<Agent[]> {
  return withProjects(
    await reader.all(selectAgentsPage, params),
    await reader.all(selectProjectsOfAgentsPage, params),
  )
}

export async function agentsOfProject(
  reader: Reader,
  projectId: string,
  limit: number,
): Promise<Agent[]> {
  const rows = await reader.all(selectAgentsOfProject, { projectId, limit })
  return withProjects(rows, await reader.all(selectProjectsOfAgentsOfProject, { projectId }))
}

function withProjects(
  rows: readonly AgentRow[],
  assigned: readonly { project_id: string; agent_id: string }[],
): Agent[] {
  const projectIds = Map.groupBy(assigned, (each) => each.agent_id)
  return rows.map((row) =>
    agentOf(
      row,
      (projectIds.get(row.id) ?? []).map((each) => each.project_id),
    ),
  )
}

const selectFirstAcp = statement<{ projectId: string }>()((db, p) =>
  db
    .selectFrom('assignments')
    .innerJoin('agents', 'agents.id', 'assignments.agent_id')
    .selectAll('agents')
    .where('assignments.project_id', '=', p.projectId)
    .where('agents.protocol', '=', 'acp')
    .where('agents.command', 'is not', null)
    .orderBy('assignments.created_at')
    .orderBy('agents.id')
    .limit(1),
)

/** The project's first ACP agent that can be started. */
export const firstAcpAgent = (reader: Reader, projectId: string): Promise<AgentRow | undefined> =>
  reader.first(selectFirstAcp, { projectId })
