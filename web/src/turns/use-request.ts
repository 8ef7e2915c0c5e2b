/** Sends one request at a time and keeps its outcome. */
import { useRef, useState } from 'react'

interface OneRequest {
  readonly waiting: boolean
  readonly error: unknown
  /** True when it was done. */
  readonly send: (request: () => Promise<unknown>) => Promise<boolean>
}

export function useRequest(): OneRequest {
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const busy = useRef(false)
  return {
    waiting,
    error,
    async send(request) {
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
