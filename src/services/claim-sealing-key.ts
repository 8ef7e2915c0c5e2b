/**
 * Says with which key the nodes of this store seal (SE12). Answers false to a node that could open nothing of what is sealed there: its key is
 * not theirs. On a store that is one node's alone, or was just restored, its key counts all the same, and what it cannot open must be given again.
 */
import type { StoredEnvironment } from '../domain/agent/environment.ts'
import { selectMeta, setMeta } from '../store/meta.ts'
import { selectEnvironments } from '../store/queries/agents.ts'
import { defineUseCase } from '../store/store.ts'

interface Claim {
  readonly keyId: string
  /** The store is this node's alone. */
  readonly alone: boolean
}

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
