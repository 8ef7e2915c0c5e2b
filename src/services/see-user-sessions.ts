/** Writes down which user sessions somebody is connected to now, or was until now (US3). Without an event. */
import { later } from '../domain/instant.ts'
import { updateAttached } from '../store/queries/user-sessions.ts'
import { defineUseCase } from '../store/store.ts'

/** In one write. */
export const maxAttachedAtOnce = 500
/** Whoever is connected says so three times in this time; a server that died says nothing more. */
export const attachedForMs = 60_000

interface Seen {
  readonly userSessionIds: readonly string[]
  readonly attached: boolean
}

export const seeUserSessions = defineUseCase({
  name: 'see-user-sessions',
  streams: () => [],
  run: async (tx, { userSessionIds, attached }: Seen, { now }): Promise<void> => {
    const until = attached ? later(now, attachedForMs) : now
    // In one order everywhere: two nodes that see the same ones wait for each other, and never both.
    for (const id of userSessionIds.slice(0, maxAttachedAtOnce).toSorted()) await tx.write(updateAttached, { id, until })
  },
})
