/**
 * Sets, removes and lists the secrets of a project (SR). Values come sealed; events and answers
 * name them only.
 */
import type { SealedValue } from '../../domain/agents/environment.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { projectStream } from '../../domain/stream-name.ts'
import {
  maxSecretsPerProject,
  type Secret,
  type SecretForm,
  type SecretUse,
} from '../../protocol/agents/secret.ts'
import {
  deleteSecret,
  secretOf,
  secretRows,
  secretsGivenTo,
  secretUses,
  writeSecret,
} from '../../store/agents/secrets.ts'
import { defineQuery, defineUseCase, type Reader } from '../../store/store.ts'
import { invalidField, noSuchAgent, noSuchProject } from '../refusals.ts'
import { requireSameSealingKey } from './change-agent.ts'

interface Which {
  readonly projectId: string
  readonly name: string
}

interface NewSecret extends Which {
  readonly value?: SealedValue | undefined
  readonly givenAs?: SecretForm | undefined
  readonly agentIds?: readonly string[] | undefined
  readonly by: string
}

const rowKey = ({ projectId, name }: Which) => ({ project_id: projectId, name })

export const setSecret = defineUseCase('set-secret', {
  scope: 'manage',
  on: 'project',
  streams: ({ projectId }: NewSecret) => [projectStream(projectId)],
  run: async (tx, input, { now }): Promise<Secret> => {
    const { projectId, name, value, agentIds, by } = input
    await requireProject(tx, projectId)
    for (const id of agentIds ?? []) if (!(await tx.row('agents', { id }))) throw noSuchAgent(id)
    const before = await tx.row('secrets', rowKey(input))
    const sealed = value ? JSON.stringify(value) : before?.sealed
    if (sealed === undefined) throw invalidField('value', refusalText('secretNeedsValue', { name }))
    if (!before && (await secretRows(tx, projectId)).length >= maxSecretsPerProject)
      throw new Refusal('wrong_state', refusalText('secretsFull', { count: maxSecretsPerProject }))
    if (value) await requireSameSealingKey(tx, { [name]: value })
    const row = {
      ...rowKey(input),
      sealed,
      given_as: input.givenAs ?? before?.given_as ?? 'environment',
      created_at: before?.created_at ?? now,
      updated_at: now,
      updated_by: by,
    } as const
    await writeSecret(tx, row, agentIds)
    tx.append(projectStream(projectId), { type: 'secret-set', data: { projectId, name, by } })
    return secretOf(tx, row)
  },
})

export const removeSecret = defineUseCase('remove-secret', {
  scope: 'manage',
  on: 'project',
  streams: ({ projectId }: Which & { readonly by: string }) => [projectStream(projectId)],
  run: async (tx, { projectId, name, by }): Promise<void> => {
    await requireSecret(tx, { projectId, name })
    await deleteSecret(tx, rowKey({ projectId, name }))
    tx.append(projectStream(projectId), { type: 'secret-removed', data: { projectId, name, by } })
  },
})

export const listSecrets = defineQuery('list-secrets', {
  scope: 'manage',
  on: 'project',
  run: async (reader, { projectId }: { projectId: string }): Promise<{ items: Secret[] }> => {
    await requireProject(reader, projectId)
    const items: Secret[] = []
    for (const row of await secretRows(reader, projectId)) items.push(await secretOf(reader, row))
    return { items }
  },
})

export const listSecretUses = defineQuery('list-secret-uses', {
  scope: 'manage',
  on: 'project',
  run: async (reader, secret: Which): Promise<{ items: SecretUse[] }> => {
    await requireSecret(reader, secret)
    return { items: await secretUses(reader, rowKey(secret)) }
  },
})

/** The sealed values that an agent may have been given, to be masked in what it sends (SR4). */
export const findGivenSecrets = defineQuery('find-given-secrets', {
  scope: 'anybody',
  on: 'caller',
  run: async (
    reader,
    { agentId }: { agentId: string },
  ): Promise<{ name: string; sealed: SealedValue }[]> => secretsGivenTo(reader, agentId),
})

async function requireProject(reader: Reader, id: string): Promise<void> {
  if (!(await reader.row('projects', { id }))) throw noSuchProject(id)
}

async function requireSecret(reader: Reader, secret: Which): Promise<void> {
  await requireProject(reader, secret.projectId)
  if (!(await reader.row('secrets', rowKey(secret))))
    throw new Refusal('not_found', refusalText('noSecret', { name: secret.name }), {
      name: secret.name,
    })
}
