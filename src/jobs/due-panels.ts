/**
 * Chat panels not seen for a minute are closed (CH5). After a break in hearing all have their full
 * time again (hearing.ts).
 */
import {
  expirePanel,
  findExpiredPanels,
  touchAllPanels,
} from '../services/flows/conversations/start-chat.ts'
import type { Store } from '../store/store.ts'
import type { DueWork } from './due-work.ts'

type ExpiredPanel = Awaited<ReturnType<typeof findExpiredPanels.run>>[number]

export function duePanels(store: Store): DueWork<ExpiredPanel> {
  let tried = 0
  let closed = 0
  return {
    everyMs: 2000,
    failureText: 'chat panels could not be closed',
    async find() {
      // Nothing could be written, so no panel could be seen either.
      const isUnheard = tried > 0 && closed === 0
      tried = 0
      closed = 0
      if (!isUnheard) return store.query(findExpiredPanels, {})
      await store.run(touchAllPanels, {})
      return []
    },
    async run(panel) {
      tried++
      await store.run(expirePanel, panel)
      closed++
    },
  }
}
