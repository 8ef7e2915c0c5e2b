/**
 * Puts sealed values in the place of plain ones that an earlier build has written (SE12), where they are still what was read. Says in the
 * same commit that their text is still to be erased from the files. What readers see stays the same, so there is no event.
 */

import type { StoredEnvironment } from '../../domain/agents/environment.ts'
import { home } from '../../domain/stream-name.ts'
import { selectAgent, selectEnvironments, updateEnvironment } from '../../store/agents/agents.ts'
import { selectMeta, setMeta } from '../../store/meta.ts'
import { defineUseCase } from '../../store/store.ts'

interface Sealed {
  readonly agents: readonly { readonly id: string; readonly from: string; readonly to: string }[]
}

export const sealEnvironments = defineUseCase({
  name: 'seal-environments',
  streams: (_: Sealed) => [home],
  run: async (tx, { agents }): Promise<void> => {
    for (const { id, from, to } of agents)
      if ((await tx.first(selectAgent, { id }))?.env === from) await tx.write(updateEnvironment, { id, env: to })
    await tx.write(setMeta, { key: 'plain_values', value: 'sealed' })
  },
})

interface Claim {
  readonly keyId: string
  /** The store is this node's alone. */
  readonly alone: boolean
}

/**
 * Says with which key the nodes of this store seal (SE12). Answers false to a node that could open nothing of what is sealed there: its key is
 * not theirs. On a store that is one node's alone, or was just restored, its key counts all the same, and what it cannot open must be given again.
 */
export const claimSealingKey = defineUseCase({
  name: 'claim-sealing-key',
  // Before anything else in a new store: none is begun by it.
  streams: (_: Claim) => [],
  run: async (tx, { keyId, alone }): Promise<boolean> => {
    const said = (await tx.first(selectMeta, { key: 'sealing_key' }))?.value
    const values = (await tx.all(selectEnvironments, {})).flatMap(({ env }) =>
      Object.values(JSON.parse(env) as StoredEnvironment),
    )
    const keys = new Set(values.flatMap((value) => (typeof value === 'string' ? [] : [value.key])))
    if (said !== undefined && !alone && keys.size > 0 && !keys.has(keyId)) return false
    if (said !== keyId) await tx.write(setMeta, { key: 'sealing_key', value: keyId })
    return true
  },
})
