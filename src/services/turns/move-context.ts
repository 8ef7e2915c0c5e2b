/**
 * Writes contexts (CX1): no other file does. The diagram of their states is in
 * domain/turns/lifecycle.ts. Callers hold the lock of the context's conversation; in a role, of its
 * user session.
 */
import type { Instant } from '../../domain/instant.ts'
import type { ContextEndReason } from '../../domain/turns/lifecycle.ts'
import { detachSession } from '../../store/conversations/imported-sessions.ts'
import type { NewRow } from '../../store/rows.ts'
import type { Tx } from '../../store/store.ts'
import { type ContextRow, updateAsleepOfLaunch, updateEndedIn } from '../../store/turns/contexts.ts'

type ContextId = Pick<ContextRow, 'id'>

/** Columns that say nothing of the state. */
type Besides = Partial<
  Omit<ContextRow, 'id' | 'state' | 'created_at' | 'ended_at' | 'end_reason' | FixedColumn>
>
type FixedColumn = 'agent_id' | 'project_id' | 'conversation_key' | 'origin_key' | 'generation'

/** Adds a context that no process holds yet. */
export const addContext = (tx: Tx, row: NewRow<'contexts'>): Promise<void> =>
  tx.insert('contexts', { ...row, state: 'asleep' })

/** A process is asked to open it. */
export const beginOpening = (
  tx: Tx,
  { id }: ContextId,
  launchId: string,
  besides: Besides = {},
): Promise<void> => tx.update('contexts', { id, ...besides, state: 'opening', launch_id: launchId })

/** A process holds it open. */
export async function contextOpened(
  tx: Tx,
  { id, conversation_key }: Pick<ContextRow, 'id' | 'conversation_key'>,
  besides: Besides,
): Promise<void> {
  await tx.update('contexts', { id, ...besides, state: 'open' })
  // IM7: what its agent keeps of it is never taken in as another's.
  const { acp_session_id: own } = besides
  if (own && !(await tx.row('agent_session_ids', { id: own })))
    await tx.insert('agent_session_ids', { id: own, conversation_key })
}

/** No process holds it any more. It can be restored, and is primed then. */
export const putToSleep = (tx: Tx, { id }: ContextId, besides: Besides = {}): Promise<void> =>
  tx.update('contexts', { id, ...besides, state: 'asleep', launch_id: null, primed_at: null })

/** Puts all contexts of an ended process to sleep. */
export const putAllToSleep = (tx: Tx, launchId: string): Promise<void> =>
  tx.write(updateAsleepOfLaunch, { launchId })

export const endContext = (
  tx: Tx,
  { id }: ContextId,
  reason: ContextEndReason,
  now: Instant,
): Promise<void> =>
  tx.update('contexts', {
    id,
    state: 'ended',
    launch_id: null,
    ended_at: now,
    end_reason: reason,
  })

/** Ends all contexts of a conversation. */
export const endContextsIn = (
  tx: Tx,
  key: string,
  reason: ContextEndReason,
  now: Instant,
): Promise<void> => tx.write(updateEndedIn, { key, reason, now })

/** Changes what is known of a context: its limit, its options, what its agent was told. */
export async function changeContext(tx: Tx, { id }: ContextId, change: Besides): Promise<void> {
  if (Object.keys(change).length > 0) await tx.update('contexts', { id, ...change })
}

/** A session that an agent had before is its person's: nothing here closes or deletes it. */
export const leaveOwnSession = (tx: Tx, key: string, acpSessionId: string): Promise<void> =>
  tx.write(detachSession, { key, acpSessionId })
