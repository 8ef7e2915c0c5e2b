/** A moment, told relative to now, with the exact one on hover. All of them tick together. */
import { useSyncExternalStore } from 'react'
import { useWriting } from '../messages/messages.tsx'

const tickMs = 15_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
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

export function Ago({ at, className }: { at: string; className?: string }) {
  const writing = useWriting()
  const current = useSyncExternalStore(subscribe, () => now)
  return (
    <time dateTime={at} title={writing.exact(at)} className={className}>
      {writing.ago(at, Math.max(current, Date.parse(at)))}
    </time>
  )
}
