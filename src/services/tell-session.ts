/**
 * Tells that something which lists show of a session has changed (SL5): its state, its newest
 * message, its title. Who follows its project, or home, reads it again.
 */
import { home, projectStream } from '../domain/stream-name.ts'
import type { Tx } from '../store/store.ts'
import { ownerInRow } from './access/owners.ts'

interface ChangedSession {
  readonly key: string
  readonly projectId: string | null
  /** One person's: others are not told which it is. */
  readonly isPrivate: boolean
}

/** The caller holds the lock of the conversation. One that is not begun yet is not told of. */
export async function tellSession(tx: Tx, key: string): Promise<void> {
  const row = await tx.row('conversations', { key })
  if (!row || row.draft === 1) return
  const isPrivate = ownerInRow(row) !== null
  tellChangedSession(tx, { key, projectId: row.project_id, isPrivate })
}

export function tellChangedSession(tx: Tx, { key, projectId, isPrivate }: ChangedSession): void {
  const data = { key, ...(isPrivate && { private: true as const }) }
  if (projectId !== null) tx.append(projectStream(projectId), { type: 'session-changed', data })
  tx.append(home, { type: 'session-changed', data })
}

/** What is this person's own has changed: read, settled, archived. */
export const tellPerson = (tx: Tx, key: string, personId: string): number =>
  tx.append(home, { type: 'session-changed', data: { key, personId } })
