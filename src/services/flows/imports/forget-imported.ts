/**
 * Marks a session of an agent's own whose conversation is deleted (IM6): it comes back only when it
 * is named. The agent's session itself stays: it is the person's.
 */
import { selectImportedBy } from '../../../store/conversations/imported-sessions.ts'
import type { Tx } from '../../../store/store.ts'
import { leaveOwnSession } from '../../turns/move-context.ts'

export async function forgetImported(tx: Tx, key: string): Promise<void> {
  const imported = await tx.first(selectImportedBy, { key })
  if (!imported) return
  const { account_id, agent, source_id } = imported
  await tx.update('imported_sessions', {
    account_id,
    agent,
    source_id,
    state: 'deleted',
    mark: null,
  })
  await leaveOwnSession(tx, key, source_id)
}
