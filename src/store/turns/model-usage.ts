/** Queries about what requests through a gateway have used (GW5). */
import { type Kysely, sql } from 'kysely'
import type { AgentModelUsage, ModelUsage } from '../../protocol/turns/model-usage.ts'
import { allColumns } from '../rows.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader } from '../store.ts'

/** More agents and models than a project has in years. */
const maxListed = 1000

const counted = ['requests', 'finished', 'input_tokens', 'output_tokens', 'cached_tokens'] as const

/** Adds to a row, which is made if there is none. */
export const addModelUsage = statement<Tables['model_usage']>()((db, p) =>
  db
    .insertInto('model_usage')
    .values(allColumns('model_usage', p))
    .onConflict((conflict) =>
      conflict.columns(['launch_id', 'turn_id', 'model']).doUpdateSet((eb) => ({
        ...Object.fromEntries(
          counted.map((name) => [name, eb(`model_usage.${name}`, '+', eb.ref(`excluded.${name}`))]),
        ),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    ),
)

const sums = () =>
  counted.map((name) => sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name))

const byAgentAndModel = (db: Kysely<Tables>) =>
  db
    .selectFrom('model_usage')
    .select(['agent_id', 'model', ...sums()])
    .groupBy(['agent_id', 'model'])
    .orderBy('agent_id')
    .orderBy('model')

const selectOfTurn = statement<{ turnId: string }>()((db, p) =>
  byAgentAndModel(db).where('turn_id', '=', p.turnId).where('turn_id', '<>', ''),
)

const selectOfProject = statement<{ projectId: string; limit: number }>()((db, p) =>
  byAgentAndModel(db).where('project_id', '=', p.projectId).limit(p.limit),
)

const selectOfAll = statement<{ limit: number }>()((db, p) => byAgentAndModel(db).limit(p.limit))

/**
 * What a gateway has counted for one turn of a process, and whether it has counted anything for it.
 */
export const selectCountedOf = statement<{ launchId: string; turnId: string }>()((db, p) =>
  db
    .selectFrom('model_usage')
    .selectAll()
    .where('launch_id', '=', p.launchId)
    .where('turn_id', '=', p.turnId),
)
export const selectCountedOfLaunch = statement<{ launchId: string }>()((db, p) =>
  db.selectFrom('model_usage').select('turn_id').where('launch_id', '=', p.launchId).limit(1),
)

type Sums = Omit<Tables['model_usage'], 'launch_id' | 'turn_id' | 'project_id' | 'updated_at'>

const usageOf = (row: Sums): AgentModelUsage => ({
  agentId: row.agent_id,
  model: row.model,
  requests: Number(row.requests),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cachedTokens: Number(row.cached_tokens),
  atLeast: Number(row.finished) < Number(row.requests),
})

/** null when no request went through a gateway. */
export async function modelUsageOfTurn(
  reader: Reader,
  turnId: string,
): Promise<ModelUsage[] | null> {
  const rows = await reader.all(selectOfTurn, { turnId })
  return rows.length === 0
    ? null
    : rows.map((row) => (({ agentId: _, ...rest }) => rest)(usageOf(row as Sums)))
}

export const modelUsageOfProject = async (
  reader: Reader,
  projectId: string,
): Promise<AgentModelUsage[]> =>
  (await reader.all(selectOfProject, { projectId, limit: maxListed })).map((row) =>
    usageOf(row as Sums),
  )

export const modelUsageOfAll = async (reader: Reader): Promise<AgentModelUsage[]> =>
  (await reader.all(selectOfAll, { limit: maxListed })).map((row) => usageOf(row as Sums))
