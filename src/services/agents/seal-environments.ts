/**
 * Replaces plain values from an earlier build by sealed ones (SE12), if they have not changed. Records that their text must
 * still be erased from the files. Readers see no change, so there is no event.
 */

import type { SealedValue, StoredEnvironment } from '../../domain/agents/environment.ts'
import { home } from '../../domain/stream-name.ts'
import { selectEnvironments } from '../../store/agents/agents.ts'
import { selectSealedSecrets } from '../../store/agents/secrets.ts'
import { selectMeta, setMeta } from '../../store/meta.ts'
import { defineUseCase } from '../../store/store.ts'

export const sealEnvironments = defineUseCase('seal-environments', {
  streams: (_: { agents: readonly { readonly id: string; readonly from: string; readonly to: string }[] }) => [home],
  run: async (tx, { agents }): Promise<void> => {
    for (const { id, from, to } of agents)
      if ((await tx.row('agents', { id }))?.env === from) await tx.change('agents', { id, env: to })
    await tx.write(setMeta, { key: 'plain_values', value: 'sealed' })
  },
})

interface Claim {
  readonly keyId: string
  /** Whether only this node uses the store. */
  readonly alone: boolean
}

/**
 * Sets the key that the store's nodes seal with (SE12). Returns false to a node whose key opens none of the sealed values. On a
 * store with one node, or after a restore, its key is accepted and values it cannot open must be entered again.
 */
export const claimSealingKey = defineUseCase('claim-sealing-key', {
  // Locks no stream, because it runs first in a new store.
  streams: (_: Claim) => [],
  run: async (tx, { keyId, alone }): Promise<boolean> => {
    const said = (await tx.first(selectMeta, { key: 'sealing_key' }))?.value
    const environments = (await tx.all(selectEnvironments, {})).map(({ env }) => JSON.parse(env) as StoredEnvironment)
    const secrets = (await tx.all(selectSealedSecrets, {})).map(({ sealed }) => JSON.parse(sealed) as SealedValue)
    const values = [...environments.flatMap((env) => Object.values(env)), ...secrets]
    const keys = new Set(values.flatMap((value) => (typeof value === 'string' ? [] : [value.key])))
    if (said !== undefined && !alone && keys.size > 0 && !keys.has(keyId)) return false
    if (said !== keyId) await tx.write(setMeta, { key: 'sealing_key', value: keyId })
    return true
  },
})
