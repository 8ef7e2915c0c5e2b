/**
 * Closes chat panels that were not seen for a minute (CH5). A tick that comes late, a store that could not be asked, and a start
 * after a stop give every panel its full time again: sleep, an outage and an upgrade close nothing.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { expirePanel, findExpiredPanels, touchAllPanels } from '../services/conversations/panels.ts'
import type { Store } from '../store/store.ts'
import { byItself, lateMs, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000

export interface PanelSweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class PanelSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly complaint = 'Chat panels could not be swept'
  readonly #options: PanelSweeperOptions
  /** The last tick that did its work. */
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(options: PanelSweeperOptions) {
    this.#options = options
  }

  async round(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    if (now - this.#sweptAt - everyMs > lateMs) await store.run(touchAllPanels, {})
    else if (!(await this.#closeLapsed())) return
    this.#sweptAt = now
  }

  /** RE9: one that cannot be closed keeps no other open. False when none could be: a store that takes nothing has seen no panel either. */
  async #closeLapsed(): Promise<boolean> {
    const { store, logger } = this.#options
    const lapsed = await store.query(findExpiredPanels, {})
    let closed = 0
    for (const panel of lapsed)
      await byItself(logger, 'A chat panel could not be closed', panel, async () => {
        await store.run(expirePanel, panel)
        closed++
      })
    return lapsed.length === 0 || closed > 0
  }
}
