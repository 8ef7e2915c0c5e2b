/** Records which user sessions are connected, or were until now (US3). Appends no event. */
import { type Instant, later } from '../../domain/instant.ts'
import { updateAttached, updateDetached } from '../../store/consoles/user-sessions.ts'
import { defineUseCase } from '../../store/store.ts'

/** User sessions in one write. */
export const maxAttachedAtOnce = 500
/** A connection is recorded three times within this time. After a crash it runs out. */
export const attachedForMs = 60_000

interface Connections {
  readonly attached: readonly string[]
  /** `seenUntil`: the value this node wrote last. */
  readonly detached: readonly { readonly id: string; readonly seenUntil: Instant }[]
}

export const touchUserSessions = defineUseCase('touch-user-sessions', {
  streams: () => [],
  run: async (tx, { attached, detached }: Connections, { now }): Promise<Instant> => {
    const until = later(now, attachedForMs)
    // Sorted, so that two nodes that write the same rows cannot deadlock.
    const all = [...attached.map((id) => ({ id, seenUntil: null })), ...detached].slice(0, maxAttachedAtOnce)
    for (const { id, seenUntil } of all.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      if (seenUntil === null) await tx.write(updateAttached, { id, until })
      else await tx.write(updateDetached, { id, until: now, seenUntil })
    }
    return until
  },
})
