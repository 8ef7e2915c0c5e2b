/**
 * Closes chat panels that were not seen for a minute (CH5). A tick that comes late, a store that could not be asked, and a start
 * after a stop give every panel its full time again: sleep, an outage and an upgrade close nothing.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { findLapsedPanels } from '../../services/find-lapsed-panels.ts'
import { lapsePanel } from '../../services/lapse-panel.ts'
import { seeAllPanels } from '../../services/see-all-panels.ts'
import type { Store } from '../../store/store.ts'
import { byItself, type Duty, lateMs } from './duty.ts'

const everyMs = 2000

export interface PanelSweeperParts {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

export class PanelSweeper implements Duty {
  readonly everyMs = everyMs
  readonly complaint = 'Chat panels could not be swept'
  readonly #parts: PanelSweeperParts
  /** The last tick that did its work. */
  #sweptAt = Number.NEGATIVE_INFINITY

  constructor(parts: PanelSweeperParts) {
    this.#parts = parts
  }

  async round(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock.now()
    if (now - this.#sweptAt - everyMs > lateMs) await store.run(seeAllPanels, {})
    else if (!(await this.#closeLapsed())) return
    this.#sweptAt = now
  }

  /** RE9: one that cannot be closed keeps no other open. False when none could be: a store that takes nothing has seen no panel either. */
  async #closeLapsed(): Promise<boolean> {
    const { store, logger } = this.#parts
    const lapsed = await store.query(findLapsedPanels, {})
    let closed = 0
    for (const panel of lapsed)
      await byItself(logger, 'A chat panel could not be closed', panel, async () => {
        await store.run(lapsePanel, panel)
        closed++
      })
    return lapsed.length === 0 || closed > 0
  }
}
