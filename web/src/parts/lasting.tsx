/** How long something has lasted, ticking for the eye only. All of them tick together. */
import { useSyncExternalStore } from 'react'
import { useWords } from '../messages/messages.tsx'

const tickMs = 1000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  now = Date.now()
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

export const secondsBetween = (from: number, to: number): number => Math.max(0, Math.floor((to - from) / 1000))

interface LastingProps {
  /** In milliseconds since 1970. */
  readonly since: number
  /** What to say around the duration. */
  readonly say?: (duration: string) => string
}

export function Lasting({ since, say = (duration) => duration }: LastingProps) {
  const words = useWords()
  const current = useSyncExternalStore(subscribe, () => now)
  return (
    <span aria-live="off" className="tabular-nums">
      {say(words.duration(secondsBetween(since, current)))}
    </span>
  )
}
