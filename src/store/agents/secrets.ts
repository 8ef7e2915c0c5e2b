/** Queries about the secrets of projects (SR). Values are sealed before they come here. */
import type { SealedValue } from '../../domain/agents/environment.ts'
import type { Instant } from '../../domain/instant.ts'
import {
  maxSecretsPerProject,
  maxSecretUses,
  type Secret,
  type SecretUse,
} from '../../protocol/agents/secret.ts'
import { fields } from '../fields.ts'
import type { Tables } from '../schema/tables.ts'
import { statement } from '../statement.ts'
import type { Reader, Tx } from '../store.ts'

type SecretRow = Tables['secrets']
type Which = Pick<SecretRow, 'project_id' | 'name'>

const selectSecrets = statement<{ projectId: string; limit: number }>()((db, p) =>
  db
    .selectFrom('secrets')
    .selectAll()
    .where('project_id', '=', p.projectId)
    .orderBy('name')
    .limit(p.limit),
)

const selectAgents = statement<Which>()((db, p) =>
  db
    .selectFrom('secret_agents')
    .select('agent_id')
    .where('project_id', '=', p.project_id)
    .where('name', '=', p.name)
    .orderBy('agent_id'),
)

const selectGiven = statement<{ agentId: string }>()((db, p) =>
  db
    .selectFrom('secrets')
    .innerJoin('secret_agents', (join) =>
      join
        .onRef('secret_agents.project_id', '=', 'secrets.project_id')
        .onRef('secret_agents.name', '=', 'secrets.name'),
    )
    .select(['secrets.project_id', 'secrets.name', 'secrets.given_as', 'secrets.sealed'])
    .where('secret_agents.agent_id', '=', p.agentId)
    .orderBy('secrets.name'),
)

/** The sealed values of all secrets, each with the agents that get it. */
export const selectSealedSecrets = statement()((db) =>
  db
    .selectFrom('secrets')
    .leftJoin('secret_agents', (join) =>
      join
        .onRef('secret_agents.project_id', '=', 'secrets.project_id')
        .onRef('secret_agents.name', '=', 'secrets.name'),
    )
    .select(['secrets.name', 'secrets.sealed', 'secret_agents.agent_id'])
    .orderBy('secrets.name'),
)

const deleteAgents = statement<{ project_id: string; name: string }>()((db, p) =>
  db.deleteFrom('secret_agents').where('project_id', '=', p.project_id).where('name', '=', p.name),
)

const deleteUses = statement<{ project_id: string; name: string }>()((db, p) =>
  db.deleteFrom('secret_uses').where('project_id', '=', p.project_id).where('name', '=', p.name),
)

const selectUses = statement<Which & { limit: number }>()((db, p) =>
  db
    .selectFrom('secret_uses')
    .select([
      'agent_id as agentId',
      'launch_id as launchId',
      'given_as as givenAs',
      'used_at as usedAt',
    ])
    .where('project_id', '=', p.project_id)
    .where('name', '=', p.name)
    .orderBy('used_at', 'desc')
    .orderBy('launch_id', 'desc')
    .limit(p.limit),
)

const deleteUsesBefore = statement<Which & { before: Instant }>()((db, p) =>
  db
    .deleteFrom('secret_uses')
    .where('project_id', '=', p.project_id)
    .where('name', '=', p.name)
    .where('used_at', '<', p.before),
)

const agentIdsOf = async (reader: Reader, secret: Which): Promise<string[]> =>
  (await reader.all(selectAgents, secret)).map(({ agent_id }) => agent_id)

export const secretUses = (
  reader: Reader,
  secret: Which,
  limit = maxSecretUses,
): Promise<SecretUse[]> => reader.all(selectUses, { ...secret, limit })

export const secretOf = async (reader: Reader, row: SecretRow): Promise<Secret> => ({
  ...fields(row, 'name', 'given_as', 'created_at', 'updated_at', 'updated_by'),
  agentIds: await agentIdsOf(reader, row),
  lastUse: (await secretUses(reader, row, 1))[0] ?? null,
})

/** One more than a project may have shows that it is full. */
export const secretRows = (reader: Reader, projectId: string): Promise<SecretRow[]> =>
  reader.all(selectSecrets, { projectId, limit: maxSecretsPerProject })

/** `agentIds` left out: as they are. */
export async function writeSecret(
  tx: Tx,
  row: SecretRow,
  agentIds: readonly string[] | undefined,
): Promise<void> {
  await tx.put('secrets', row)
  if (!agentIds) return
  await tx.write(deleteAgents, row)
  for (const agentId of new Set(agentIds))
    await tx.insert('secret_agents', {
      project_id: row.project_id,
      name: row.name,
      agent_id: agentId,
    })
}

export async function deleteSecret(tx: Tx, secret: Which): Promise<void> {
  await tx.write(deleteAgents, secret)
  await tx.write(deleteUses, secret)
  await tx.delete('secrets', secret)
}

interface GivenSecret {
  readonly name: string
  readonly givenAs: SecretRow['given_as']
  readonly sealed: SealedValue
}

/** The secrets that this agent gets in a project; without one, in all of them. */
export async function secretsGivenTo(
  reader: Reader,
  agentId: string,
  projectId?: string,
): Promise<GivenSecret[]> {
  const rows = (await reader.all(selectGiven, { agentId })).filter(
    (row) => row.project_id === (projectId ?? row.project_id),
  )
  return rows.map(({ name, given_as: givenAs, sealed }) => ({
    name,
    givenAs,
    sealed: JSON.parse(sealed),
  }))
}

/** Records that a launch is given a secret (SR5). Taking the launch again records it once. */
export async function recordUse(tx: Tx, use: Tables['secret_uses']): Promise<void> {
  await tx.put('secret_uses', use)
  const oldest = (await secretUses(tx, use)).at(maxSecretUses - 1)
  if (oldest)
    await tx.write(deleteUsesBefore, {
      project_id: use.project_id,
      name: use.name,
      before: oldest.usedAt,
    })
}
