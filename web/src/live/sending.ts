/**
 * Sending a form: one idempotency key for one content, so that pressing the button again after a
 * lost answer never does it twice (HT4); a way to stop waiting; the error, if there was one.
 */
import { useRef, useState } from 'react'

interface Sending<Answer> {
  readonly waiting: boolean
  readonly error: unknown
  /** Resolves to undefined when it failed or was given up; the error is then shown by the form. */
  readonly send: (
    content: unknown,
    request: (options: RequestOptions) => Promise<Answer>,
  ) => Promise<Answer | undefined>
  readonly stop: () => void
  readonly forget: () => void
}

export interface RequestOptions {
  readonly idempotencyKey: string
  readonly signal: AbortSignal
}

export function useSending<Answer>(): Sending<Answer> {
  const [waiting, setWaiting] = useState(false)
  const [error, setError] = useState<unknown>()
  const sent = useRef<{ content: string; key: string } | undefined>(undefined)
  const control = useRef<AbortController | undefined>(undefined)

  return {
    waiting,
    error,
    async send(content, request) {
      const text = JSON.stringify(content)
      if (sent.current?.content !== text) sent.current = { content: text, key: newKey() }
      const mine = new AbortController()
      control.current = mine
      setWaiting(true)
      setError(undefined)
      try {
        const answer = await request({ idempotencyKey: sent.current.key, signal: mine.signal })
        sent.current = undefined
        return answer
      } catch (failure) {
        if (!mine.signal.aborted) setError(failure)
        return undefined
      } finally {
        if (control.current === mine) setWaiting(false)
      }
    },
    stop: () => control.current?.abort(),
    forget: () => setError(undefined),
  }
}

/** Not crypto.randomUUID, which browsers offer only on https or localhost. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
