/** Replaces an agent's passkey, shown once. The old one and its sessions stop working at once (AS7, SE3). */
import { home, projectStream } from '../../domain/stream-name.ts'
import { hashSecret } from '../../platform/secrets.ts'
import { selectAgent, updatePasskey } from '../../store/agents/agents.ts'
import { defineUseCase } from '../../store/store.ts'
import { revokeAllOfAgent } from '../agent-sessions/revoke-agent-sessions.ts'
import { noSuchAgent } from '../refusals.ts'

export const replacePasskey = defineUseCase({
  name: 'replace-passkey',
  answersSecret: true,
  streams: ({ projectIds = [] }: { agentId: string; projectIds?: readonly string[]; by: string }) => [
    home,
    ...projectIds.map(projectStream),
  ],
  run: async (tx, { agentId, projectIds = [], by }, context): Promise<{ passkey: string }> => {
    if (!(await tx.first(selectAgent, { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, projectIds, context)
    const passkey = context.random.secret('agent')
    await tx.write(updatePasskey, { id: agentId, hash: hashSecret(passkey) })
    tx.append(home, { type: 'passkey-replaced', data: { agentId, by } })
    return { passkey }
  },
})
