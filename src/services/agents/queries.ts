/** Read queries for agents and their environments. */

import {
  type SealedValue,
  type StoredEnvironment,
  sealedOtherwise,
} from '../../domain/agents/environment.ts'
import { Refusal } from '../../domain/errors.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import type { Agent } from '../../protocol/agents/agent.ts'
import type { Page, PageQuery } from '../../protocol/page.ts'
import {
  agentsPage,
  findAgent,
  selectEnvironments,
  selectEnvironmentsOfAll,
} from '../../store/agents/agents.ts'
import { selectSealedSecrets } from '../../store/agents/secrets.ts'
import { selectMeta } from '../../store/meta.ts'
import { cutPage, pageParams } from '../../store/page-cursor.ts'
import { defineQuery, type Reader } from '../../store/store.ts'
import { noSuchAgent } from '../refusals.ts'

/** Returns an agent with its environment masked. */
export const getAgent = defineQuery('get-agent', {
  scope: 'read',
  on: 'agent',
  run: async (reader, { agentId }: { agentId: string }): Promise<Agent> => {
    const agent = await findAgent(reader, agentId)
    if (!agent) throw noSuchAgent(agentId)
    return agent
  },
})

/** Returns how an ACP agent is started on the server's machine, with its environment sealed. */
export const findAgentStart = defineQuery('find-agent-start', {
  scope: 'manage',
  on: 'agent',
  run: async (reader, { agentId }: { agentId: string }) => {
    const row = await reader.row('agents', { id: agentId })
    if (!row) throw noSuchAgent(agentId)
    const { protocol, command, args, env, runs_on: label } = row
    if (protocol !== 'acp' || command === null)
      throw new Refusal('wrong_state', refusalText('notPrompted', { agent: agentId }))
    if (label !== null)
      throw new Refusal('wrong_state', refusalText('runsElsewhere', { agent: agentId, label }))
    return {
      command,
      args: JSON.parse(args) as string[],
      env: JSON.parse(env) as StoredEnvironment,
    }
  },
})

/** Lists agents, newest first, in pages (HT1). */
export const listAgents = defineQuery('list-agents', {
  scope: 'read',
  on: 'nobody',
  run: async (reader, input: PageQuery): Promise<Page<Agent>> =>
    cutPage(await agentsPage(reader, pageParams(input)), input.limit),
})

interface StoredEnvironments {
  /** The id of the key that the store's nodes seal with. Undefined before the first. */
  readonly sealingKey: string | undefined
  /**
   * `kept`: plain values from an earlier build exist. `sealed`: they are sealed, but their text may
   * still be in the files.
   */
  readonly plainValues: string | undefined
  /** Whether a project has a secret, which is sealed too (SR2). */
  readonly hasSecrets: boolean
  /** `text` is the stored row's, for a compare-and-swap. */
  readonly agents: readonly {
    readonly id: string
    readonly name: string
    readonly text: string
    readonly env: StoredEnvironment
  }[]
}

/** Returns how environments are stored (SE12): the sealing key, and values that are not sealed. */
export const findEnvironments = defineQuery('find-environments', {
  scope: 'server',
  on: 'nobody',
  run: async (reader, _: object): Promise<StoredEnvironments> => {
    const rows = await reader.all(selectEnvironments, {})
    return {
      sealingKey: (await reader.first(selectMeta, { key: 'sealing_key' }))?.value,
      plainValues: (await reader.first(selectMeta, { key: 'plain_values' }))?.value,
      hasSecrets: (await reader.first(selectSealedSecrets, {})) !== undefined,
      agents: rows.map(({ id, name, env: text }) => ({
        id,
        name,
        text,
        env: JSON.parse(text) as StoredEnvironment,
      })),
    }
  },
})

export interface AgentWithoutKeys {
  readonly id: string
  readonly name: string
  readonly variables: readonly string[]
}

/** Lists agents with values sealed by another key, which cannot be started with this one. */
export async function agentsWithoutKeys(
  reader: Reader,
  key: string | undefined,
): Promise<AgentWithoutKeys[]> {
  const given = Map.groupBy(await reader.all(selectSealedSecrets, {}), (secret) => secret.agent_id)
  const rows = await reader.all(selectEnvironmentsOfAll, {})
  return rows.flatMap(({ id, name, env }) => {
    const secrets = (given.get(id) ?? []).filter(
      ({ sealed }) => (JSON.parse(sealed) as SealedValue).key !== key,
    )
    const variables = [
      ...sealedOtherwise(JSON.parse(env), key),
      ...secrets.map((secret) => secret.name),
    ]
    return variables.length === 0 ? [] : [{ id, name, variables }]
  })
}
