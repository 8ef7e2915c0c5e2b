/** Gives an agent a new passkey, shown once; the old one stops working at once (AS7). */
import { home } from '../domain/stream/name.ts'
import { hashSecret } from '../platform/secrets.ts'
import { selectAgent, updatePasskey } from '../store/queries/agents.ts'
import { defineUseCase } from '../store/store.ts'
import { noSuchAgent } from './refusals.ts'

export const replacePasskey = defineUseCase({
  name: 'replace-passkey',
  answersSecret: true,
  streams: () => [home],
  run: async (tx, { agentId, by }: { agentId: string; by: string }, { random }): Promise<{ passkey: string }> => {
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    const passkey = random.secret('agent')
    await tx.write(updatePasskey, { id: agentId, hash: hashSecret(passkey) })
    tx.append(home, { type: 'passkey-replaced', data: { agentId, by } })
    return { passkey }
  },
})
