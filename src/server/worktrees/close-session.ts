/**
 * Closes a session with its place (SL6). What would be lost is asked for first, and refused unless
 * it is confirmed; then its process ends, which may hold the place, and the place goes. Interrupted
 * at any moment, it is closed by the same request again.
 */
import type { Caller } from '../../domain/access/caller.ts'
import { Refusal } from '../../domain/errors.ts'
import { projectStream } from '../../domain/stream-name.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Conversation } from '../../protocol/conversations/conversation.ts'
import type { App } from '../../services/app.ts'
import {
  closeSession as close,
  findPlaceToClose,
  hasStopped,
  stopIdleSession,
} from '../../services/flows/conversations/close-session.ts'
import type { ReceiptKey, Store } from '../../store/store.ts'
import { untilSeen } from '../live/until-seen.ts'
import { type Worktrees, wouldLose } from './worktrees.ts'

/** Time for a process to end; what is left then is in use, and its place stays. */
const stopWithinMs = 15_000

export interface Closing {
  readonly app: App
  readonly store: Store
  readonly clock: Clock
  readonly worktrees: Worktrees
}

export async function closeWithPlace(
  { app, store, clock, worktrees }: Closing,
  who: Caller,
  { key, confirm = null }: { readonly key: string; readonly confirm?: string | null | undefined },
  receipt: ReceiptKey | undefined,
): Promise<Conversation> {
  const { projectId, worktreeId } = await app.read(findPlaceToClose, { key }, who)
  const place = worktreeId === null ? undefined : { projectId, worktreeId }
  if (place) {
    const losses = await worktrees.losses(who, place)
    const { files, commits, unfinished, digest } = losses
    const isLosing = files.length + commits.length + unfinished.length > 0
    if (isLosing && confirm !== digest) throw wouldLose(losses)
  }
  await app.run(stopIdleSession, { key }, who)
  const look = () => store.query(hasStopped, { key })
  const stream = projectStream(projectId)
  await untilSeen({ store, clock, stream, withinMs: stopWithinMs, look })
  // What another session works in is left.
  if (place) await worktrees.remove(who, place, confirm).catch(unlessInUse)
  return app.run(close, { key, by: who.id }, who, receipt)
}

function unlessInUse(error: unknown): void {
  if (!(error instanceof Refusal) || error.code !== 'worktree_in_use') throw error
}
