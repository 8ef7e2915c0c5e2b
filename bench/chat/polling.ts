/**
 * Who polls each 5 s instead of waiting. A message meets a poller at any moment of its 5 s alike:
 * with pollers spread evenly over them, the mean of their delays is what one poller has on average,
 * after 5 s instead of hours.
 */
import { setTimeout as pause } from 'node:timers/promises'

const pollMs = 5000
export const pollers = 10

/**
 * The mean delay in ms, when the nth of them looks for the first time at its moment within the 5 s.
 */
export async function meanDelayOfPollers(look: (nth: number) => Promise<unknown>): Promise<number> {
  const from = performance.now()
  const delays = await Promise.all(
    Array.from({ length: pollers }, async (_, nth) => {
      await pause(((nth + 0.5) * pollMs) / pollers)
      await look(nth)
      return performance.now() - from
    }),
  )
  return delays.reduce((sum, delay) => sum + delay, 0) / pollers
}
