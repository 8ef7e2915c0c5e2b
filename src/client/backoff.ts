/**
 * The wait before a retry: doubled each time up to a bound, and randomised, so that many clients do
 * not retry at once.
 */
import type { Clock } from '../platform/time/clock.ts'

export interface Backoff {
  readonly firstMs: number
  readonly maxMs: number
}

/**
 * Returns between half and all of the doubled time. `attempt` counts from 0; `random` is from 0 up
 * to 1.
 */
export const backoffMs = (
  { firstMs, maxMs }: Backoff,
  attempt: number,
  random: () => number,
): number => Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30)) * (0.5 + random() / 2)

/**
 * Works in browsers too. Keeps the process alive while it waits, because a caller needs the answer.
 */
export const clientClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
export function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const stop = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Calls back when a browser reports that the network is back, so that the wait can end early. */
export function onBackOnline(callback: () => void): () => void {
  const target: Partial<Pick<EventTarget, 'addEventListener' | 'removeEventListener'>> = globalThis
  target.addEventListener?.('online', callback)
  return () => target.removeEventListener?.('online', callback)
}
