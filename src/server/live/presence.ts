/**
 * What connections of this node hold open: chat panels that event streams name (CH5), and user
 * sessions that WebSockets are attached to (US3). Records periodically what is held, and changes
 * soon, many together: after a restart all clients reconnect at once. Decides nothing.
 */

import { theServer } from '../../domain/access/caller.ts'
import { type Instant, instant } from '../../domain/instant.ts'
import { App } from '../../services/app.ts'
import {
  maxAttachedAtOnce,
  touchUserSessions,
} from '../../services/flows/consoles/change-user-session.ts'
import { maxTouchedPanels, touchPanels } from '../../services/flows/conversations/start-chat.ts'
import type { Basics } from '../dependencies.ts'

/** A third of the time for which a record counts. */
const seenEveryMs = 20_000

interface PresenceOptions extends Pick<Basics, 'clock' | 'logger'> {
  /** Changes within this time are recorded together. */
  readonly gatherMs: number
  readonly maxAtOnce: number
  readonly record: (held: string[], gone: string[]) => Promise<unknown>
  readonly failureText: string
}

export class Presence {
  readonly #options: PresenceOptions
  /** Number of connections that hold each. */
  readonly #held = new Map<string, number>()
  #changed = new Set<string>()
  #stopGathering: (() => void) | undefined
  #stopSeeing: (() => void) | undefined
  #closed = false

  constructor(options: PresenceOptions) {
    this.#options = options
  }

  holds(id: string): boolean {
    return this.#held.has(id)
  }

  enter(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#held.set(id, (this.#held.get(id) ?? 0) + 1)
      this.#note(id)
    }
    if (this.#held.size > 0 && !this.#closed)
      this.#stopSeeing ??= this.#options.clock.after(seenEveryMs, () => this.#seeAll())
  }

  leave(ids: Iterable<string>): void {
    for (const id of ids) {
      const left = (this.#held.get(id) ?? 1) - 1
      if (left > 0) this.#held.set(id, left)
      else {
        this.#held.delete(id)
        this.#note(id)
      }
    }
  }

  close(): void {
    this.#closed = true
    this.#stopGathering?.()
    this.#stopSeeing?.()
  }

  #note(id: string): void {
    this.#changed.add(id)
    if (!this.#closed)
      this.#stopGathering ??= this.#options.clock.after(this.#options.gatherMs, () =>
        this.#seeChanged(),
      )
  }

  #seeChanged(): void {
    this.#stopGathering = undefined
    const changed = [...this.#changed]
    this.#changed = new Set()
    void this.#see(changed)
  }

  #seeAll(): void {
    this.#stopSeeing =
      this.#held.size > 0 ? this.#options.clock.after(seenEveryMs, () => this.#seeAll()) : undefined
    void this.#see([...this.#held.keys()])
  }

  async #see(ids: readonly string[]): Promise<void> {
    const { record, maxAtOnce, logger, failureText } = this.#options
    try {
      for (let at = 0; at < ids.length; at += maxAtOnce) {
        const { held = [], gone = [] } = Object.groupBy(ids.slice(at, at + maxAtOnce), (id) =>
          this.holds(id) ? 'held' : 'gone',
        )
        await record(held, gone)
      }
    } catch (error) {
      if (!this.#closed) logger.warn({ error: String(error) }, `${failureText}; retrying`)
    }
  }
}

export const openPanels = ({ store, ...basics }: Basics): Presence =>
  new Presence({
    ...basics,
    gatherMs: 1000,
    maxAtOnce: maxTouchedPanels,
    record: async (panelIds) =>
      panelIds.length > 0 && new App(store).run(touchPanels, { panelIds }, theServer),
    failureText: 'open chat panels could not be recorded',
  })

export function attachedSessions({ store, ...basics }: Basics): Presence {
  /**
   * Until when this node has last recorded each as attached. A client that moves to another node is
   * recorded there afterwards.
   */
  const seenUntil = new Map<string, Instant>()
  const presence = new Presence({
    ...basics,
    gatherMs: 200,
    maxAtOnce: maxAttachedAtOnce,
    record: async (attached, gone) => {
      const detached = gone.map((id) => ({ id, seenUntil: seenUntil.get(id) ?? instant(0) }))
      for (const id of gone) seenUntil.delete(id)
      const until = await new App(store).run(touchUserSessions, { attached, detached }, theServer)
      for (const id of attached) if (presence.holds(id)) seenUntil.set(id, until)
    },
    failureText: 'attached user sessions could not be recorded',
  })
  return presence
}
