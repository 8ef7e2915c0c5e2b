/** A moment, told relative to now, with the exact one on hover. */
import { useWriting } from '../translations/messages.tsx'
import { tickingClock } from './ticking-clock.ts'

const useNow = tickingClock(15_000)

export function Ago({ at, className }: { at: string; className?: string }) {
  const writing = useWriting()
  const current = useNow()
  return (
    <time dateTime={at} title={writing.exact(at)} className={className}>
      {writing.ago(at, Math.max(current, Date.parse(at)))}
    </time>
  )
}
