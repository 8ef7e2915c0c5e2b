/**
 * Puts sealed values in the place of plain ones that an earlier build has written (SE12), where they are still what was read. Says in the
 * same commit that their text is still to be erased from the files. What readers see stays the same, so there is no event.
 */
import { home } from '../domain/stream/name.ts'
import { setMeta } from '../store/meta.ts'
import { selectAgent, updateEnvironment } from '../store/queries/agents.ts'
import { defineUseCase } from '../store/store.ts'

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
