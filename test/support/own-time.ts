/**
 * Time as this process gets it, for limits that must hold on a machine that is busy with something
 * else: it stands still while the process waits for a processor, and goes on while it works (its
 * thread's processor time) or could work and waits (ticks of its loop).
 */
import { onTestFinished } from 'vitest'

const tickMs = 5

/** Answers the milliseconds since it was called; counts until the test ends. */
export function ownTime(): () => number {
  let ticks = 0
  const counting = setInterval(() => ticks++, tickMs)
  onTestFinished(() => clearInterval(counting))
  const since = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(since)
    return Math.max(ticks * tickMs, (user + system) / 1000)
  }
}
