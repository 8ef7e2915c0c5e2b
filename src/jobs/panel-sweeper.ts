/**
 * Closes chat panels not seen for a minute (CH5). After a late run, a failed read or a restart every panel gets its full time
 * again, so sleep, an outage or an upgrade closes nothing.
 */

import type { Logger } from '../platform/log/logger.ts'
import type { Clock } from '../platform/time/clock.ts'
import { expirePanel, findExpiredPanels, touchAllPanels } from '../services/flows/start-chat.ts'
import type { Store } from '../store/store.ts'
import { lateMs, logFailure, type PeriodicJob } from './periodic-job.ts'

const everyMs = 2000

export interface PanelSweeperOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class PanelSweeper implements PeriodicJob {
  readonly everyMs = everyMs
  readonly failureText = 'closed chat panels could not be removed'
  readonly #options: PanelSweeperOptions
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(options: PanelSweeperOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.now()
    if (now - this.#sweptAt - everyMs > lateMs) await store.run(touchAllPanels, {})
    else if (!(await this.#closeExpired())) return
    this.#sweptAt = now
  }

  /**
   * RE9: one that cannot be closed does not stop the others. Returns false when none could be closed: the store then has seen no
   * panel either.
   */
  async #closeExpired(): Promise<boolean> {
    const { store, logger } = this.#options
    const expired = await store.query(findExpiredPanels, {})
    let closed = 0
    for (const panel of expired)
      await logFailure(logger, 'A chat panel could not be closed', panel, async () => {
        await store.run(expirePanel, panel)
        closed++
      })
    return expired.length === 0 || closed > 0
  }
}
