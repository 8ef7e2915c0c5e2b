/** Replaces an agent's passkey, and ends its sessions. */

import { home } from '../../../domain/stream-name.ts'
import { hashSecret } from '../../../platform/secrets/secrets.ts'
import { defineUseCase } from '../../../store/store.ts'
import { noSuchAgent } from '../../refusals.ts'
import { revokeAllOfAgent } from './end-agent-session.ts'

/**
 * Replaces an agent's passkey, shown once. The old one and its sessions stop working at once (AS7,
 * SE3).
 */
export const replacePasskey = defineUseCase('replace-passkey', {
  scope: 'manage',
  on: 'agent',
  answersSecret: true,
  streams: () => [home],
  run: async (
    tx,
    { agentId, by }: { agentId: string; by: string },
    context,
  ): Promise<{ passkey: string }> => {
    if (!(await tx.row('agents', { id: agentId }))) throw noSuchAgent(agentId)
    await revokeAllOfAgent(tx, agentId, context)
    const passkey = context.random.secret('agent')
    await tx.update('agents', { id: agentId, passkey_hash: hashSecret(passkey) })
    tx.append(home, { type: 'passkey-replaced', data: { agentId, by } })
    return { passkey }
  },
})
