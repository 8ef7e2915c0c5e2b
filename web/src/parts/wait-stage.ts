/**
 * Decides what a part shows while it waits: nothing for 300 ms, then a skeleton, after 2 s a text,
 * after 10 s a text with a way out.
 */
import { useEffect, useState } from 'react'

const skeletonAfterMs = 300
const wordsAfterMs = 2000
const wayOutAfterMs = 10_000

type WaitStage = 'nothing' | 'skeleton' | 'words' | 'long'

export function useWaitStage(waiting: boolean): WaitStage {
  const [waited, setWaited] = useState<WaitStage>('nothing')
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
