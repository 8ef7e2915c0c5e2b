/** Chat panels named by event streams of this node (CH5). Records periodically that each panel is open. Decides nothing. */

import type { Logger } from '../../platform/log/logger.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { maxTouchedPanels, touchPanels } from '../../services/conversations/start-chat.ts'
import type { Store } from '../../store/store.ts'

/** A third of the time after which a panel counts as closed. */
const seenEveryMs = 20_000
/** Panels named within this time are written together; after a restart all clients reconnect at once. */
const gatherMs = 1000

export interface OpenPanelsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class OpenPanels {
  readonly #options: OpenPanelsOptions
  /** Number of event streams that name each panel. */
  readonly #named = new Map<string, number>()
  #fresh = new Set<string>()
  #stopGathering: (() => void) | undefined
  #stopSeeing: (() => void) | undefined
  #closed = false

  constructor(options: OpenPanelsOptions) {
    this.#options = options
  }

  /** Returns a function to call when the event stream ends. */
  name(panelIds: readonly string[]): () => void {
    const ids = new Set(panelIds)
    if (ids.size === 0 || this.#closed) return () => {}
    for (const id of ids) {
      this.#named.set(id, (this.#named.get(id) ?? 0) + 1)
      this.#fresh.add(id)
    }
    this.#stopGathering ??= this.#options.clock.after(gatherMs, () => this.#seeFresh())
    this.#stopSeeing ??= this.#options.clock.after(seenEveryMs, () => this.#seeAll())
    let over = false
    return () => {
      if (over) return
      over = true
      for (const id of ids) this.#leave(id)
    }
  }

  close(): void {
    this.#closed = true
    this.#stopGathering?.()
    this.#stopSeeing?.()
  }

  #leave(id: string): void {
    const left = (this.#named.get(id) ?? 1) - 1
    if (left > 0) this.#named.set(id, left)
    else this.#named.delete(id)
  }

  #seeFresh(): void {
    this.#stopGathering = undefined
    const fresh = [...this.#fresh].filter((id) => this.#named.has(id))
    this.#fresh = new Set()
    void this.#see(fresh)
  }

  #seeAll(): void {
    this.#stopSeeing = this.#named.size > 0 ? this.#options.clock.after(seenEveryMs, () => this.#seeAll()) : undefined
    void this.#see([...this.#named.keys()])
  }

  async #see(panelIds: readonly string[]): Promise<void> {
    const { store, logger } = this.#options
    try {
      for (let at = 0; at < panelIds.length; at += maxTouchedPanels)
        await store.run(touchPanels, { panelIds: panelIds.slice(at, at + maxTouchedPanels) })
    } catch (error) {
      if (!this.#closed) logger.warn({ error: String(error) }, 'Open chat panels could not be noted; trying again')
    }
  }
}
