/** Reads how the values of agents' environments are kept (SE12): with which key the store says they are sealed, and whose are not. */
import { type StoredEnvironment, sealedOtherwise } from '../domain/agent/environment.ts'
import { selectMeta } from '../store/meta.ts'
import { selectEnvironments } from '../store/queries/agents.ts'
import { defineQuery, type Reader } from '../store/store.ts'

interface KeptEnvironments {
  /** The id of the key that this store's nodes seal with; undefined until the first has said so. */
  readonly sealingKey: string | undefined
  /** `kept`: an earlier build has left plain values; `sealed`: they are sealed, and their text may still be in the files. */
  readonly plainValues: string | undefined
  /** `text` is the row's own, for a compare-and-swap. */
  readonly agents: readonly {
    readonly id: string
    readonly name: string
    readonly text: string
    readonly env: StoredEnvironment
  }[]
}

export const findEnvironments = defineQuery({
  name: 'find-environments',
  run: async (reader, _: object): Promise<KeptEnvironments> => {
    const rows = await reader.all(selectEnvironments, {})
    return {
      sealingKey: (await reader.first(selectMeta, { key: 'sealing_key' }))?.value,
      plainValues: (await reader.first(selectMeta, { key: 'plain_values' }))?.value,
      agents: rows.map(({ id, name, env: text }) => ({ id, name, text, env: JSON.parse(text) as StoredEnvironment })),
    }
  },
})

export interface AgentWithoutKeys {
  readonly id: string
  readonly name: string
  readonly variables: readonly string[]
}

/** The agents that cannot be started by who has this key: some of their values are sealed with another. */
export async function agentsWithoutKeys(reader: Reader, key: string | undefined): Promise<AgentWithoutKeys[]> {
  const rows = await reader.all(selectEnvironments, {})
  return rows.flatMap(({ id, name, env }) => {
    const variables = sealedOtherwise(JSON.parse(env), key)
    return variables.length === 0 ? [] : [{ id, name, variables }]
  })
}
