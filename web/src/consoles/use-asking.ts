/** One request at a time to the relay, with what became of it. */
import { useRef, useState } from 'react'

interface Asking {
  readonly waiting: boolean
  readonly error: unknown
  /** True when it was done. */
  readonly ask: (request: () => Promise<unknown>) => Promise<boolean>
}

export function useAsking(): Asking {
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const busy = useRef(false)
  return {
    waiting,
    error,
    async ask(request) {
      if (busy.current) return false
      busy.current = true
      setWaiting(true)
      setError(undefined)
      try {
        await request()
        return true
      } catch (failure) {
        setError(failure)
        return false
      } finally {
        busy.current = false
        setWaiting(false)
      }
    },
  }
}
