/** Writes down which user sessions somebody is connected to now, or was until now (US3). Without an event. */
import { type Instant, later } from '../../domain/instant.ts'
import { updateAttached, updateDetached } from '../../store/consoles/user-sessions.ts'
import { defineUseCase } from '../../store/store.ts'

/** In one write. */
export const maxAttachedAtOnce = 500
/** Whoever is connected says so three times in this time; a server that died says nothing more. */
export const attachedForMs = 60_000

interface Seen {
  readonly attached: readonly string[]
  /** `seenUntil`: for how long this node has said last that somebody is attached. */
  readonly detached: readonly { readonly id: string; readonly seenUntil: Instant }[]
}

export const touchUserSessions = defineUseCase({
  name: 'touch-user-sessions',
  streams: () => [],
  run: async (tx, { attached, detached }: Seen, { now }): Promise<Instant> => {
    const until = later(now, attachedForMs)
    // In one order everywhere: two nodes that see the same ones wait for each other, and never both.
    const all = [...attached.map((id) => ({ id, seenUntil: null })), ...detached].slice(0, maxAttachedAtOnce)
    for (const { id, seenUntil } of all.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
      if (seenUntil === null) await tx.write(updateAttached, { id, until })
      else await tx.write(updateDetached, { id, until: now, seenUntil })
    }
    return until
  },
})
