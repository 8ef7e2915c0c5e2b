/** The clock. Everything that waits takes one, so that tests control time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /**
   * Calls back once after `ms`; the returned function cancels it. Does not keep the process alive.
   */
  after(ms: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref()
    return () => clearTimeout(timer)
  },
}

/** Waits, but no longer than until the signal aborts. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const over = (): void => {
      cancel()
      signal?.removeEventListener('abort', over)
      resolve()
    }
    const cancel = clock.after(ms, over)
    signal?.addEventListener('abort', over)
  })
