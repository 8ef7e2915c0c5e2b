/** A clock whose hands only the test turns. */
import type { Clock } from '../../src/platform/time/clock.ts'

export interface ManualClock extends Clock {
  /** Moves time forward and calls whatever came due, in order. */
  advance(ms: number): void
}

export function manualClock(start = Date.parse('2026-03-01T09:00:00.000Z')): ManualClock {
  let now = start
  let waiting: { at: number; callback: () => void }[] = []
  return {
    now: () => now,
    after(ms, callback) {
      const entry = { at: now + ms, callback }
      waiting.push(entry)
      return () => {
        waiting = waiting.filter((each) => each !== entry)
      }
    },
    advance(ms) {
      const until = now + ms
      for (;;) {
        const [next] = waiting.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)
        if (!next) break
        waiting = waiting.filter((each) => each !== next)
        now = next.at
        next.callback()
      }
      now = until
    },
  }
}
