/** How long something has lasted, ticking for the eye only. */
import { useWords } from '../translations/messages.tsx'
import { ticking } from './ticking.ts'

const useNow = ticking(1000)

export const secondsBetween = (from: number, to: number): number => Math.max(0, Math.floor((to - from) / 1000))

interface LastingProps {
  /** In milliseconds since 1970. */
  readonly since: number
  /** What to say around the duration. */
  readonly say?: (duration: string) => string
}

export function Lasting({ since, say = (duration) => duration }: LastingProps) {
  const words = useWords()
  const current = useNow()
  return (
    <span aria-live="off" className="tabular-nums">
      {say(words.duration(secondsBetween(since, current)))}
    </span>
  )
}
