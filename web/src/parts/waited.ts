/** How the page waits: nothing for 300 ms, then a skeleton, after 2 s words, after 10 s what it waits for and a way out. */
import { useEffect, useState } from 'react'

const skeletonAfterMs = 300
const wordsAfterMs = 2000
const wayOutAfterMs = 10_000

type Waited = 'nothing' | 'skeleton' | 'words' | 'long'

export function useWaitedFor(waiting: boolean): Waited {
  const [waited, setWaited] = useState<Waited>('nothing')
  useEffect(() => {
    if (!waiting) return
    const steps = [
      [skeletonAfterMs, 'skeleton'],
      [wordsAfterMs, 'words'],
      [wayOutAfterMs, 'long'],
    ] as const
    const timers = steps.map(([ms, step]) => setTimeout(() => setWaited(step), ms))
    return () => {
      for (const timer of timers) clearTimeout(timer)
      setWaited('nothing')
    }
  }, [waiting])
  return waiting ? waited : 'nothing'
}
