/**
 * Shows how long something has lasted. The counting seconds are not announced to screen readers.
 */
import { useWords } from '../translations/messages.tsx'
import { tickingClock } from './ticking-clock.ts'

const useNow = tickingClock(1000)

export const secondsBetween = (from: number, to: number): number =>
  Math.max(0, Math.floor((to - from) / 1000))

interface ElapsedTimeProps {
  /** The beginning, in milliseconds since 1970. */
  readonly since: number
  /** Puts the duration into a sentence. */
  readonly format?: (duration: string) => string
}

export function ElapsedTime({ since, format = (duration) => duration }: ElapsedTimeProps) {
  const words = useWords()
  const current = useNow()
  return (
    <span aria-live="off" className="tabular-nums">
      {format(words.duration(secondsBetween(since, current)))}
    </span>
  )
}
