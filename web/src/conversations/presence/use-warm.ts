/**
 * Calls the agent of a session when somebody begins to write, so that it is there when they send.
 * Nothing is said when that fails: the message itself calls it, too.
 */
import { useCallback, useRef } from 'react'
import { client } from '../../live/queries.ts'

/** The server keeps the request for longer. */
const calledForMs = 60_000

export function useWarm(key: string): () => void {
  const calledAt = useRef(Number.NEGATIVE_INFINITY)
  return useCallback(() => {
    const now = performance.now()
    if (now - calledAt.current < calledForMs) return
    calledAt.current = now
    void client
      .post('/api/conversations/{key}/warm', { params: { key }, retries: 0 })
      .catch(() => undefined)
  }, [key])
}
