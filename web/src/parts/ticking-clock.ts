/**
 * A clock for display: everything that shows the time at one interval ticks together, and nothing
 * ticks while nothing is shown.
 */
import { useSyncExternalStore } from 'react'

/** Makes a hook that returns the current time and renders again at each tick. */
export function tickingClock(everyMs: number): () => number {
  const listeners = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined

  function subscribe(listener: () => void): () => void {
    listeners.add(listener)
    now = Date.now()
    timer ??= setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, everyMs)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
  return () => useSyncExternalStore(subscribe, () => now)
}
