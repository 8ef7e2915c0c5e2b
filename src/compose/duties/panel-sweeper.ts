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
import { type Duty, lateMs } from './duty.ts'

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
    else for (const panel of await store.query(findLapsedPanels, {})) await store.run(lapsePanel, panel)
    this.#sweptAt = now
  }
}
