/** Placeholders for content that is being loaded (times in wait-stage.ts). */
import type { ReactNode } from 'react'
import { useWords } from '../translations/messages.tsx'
import { Button } from './button.tsx'
import { useWaitStage } from './wait-stage.ts'

interface WaitingProps {
  /** The name of what is loaded: “the people”. */
  readonly what: string
  readonly onRetry: () => void
  /** The number of rows of the skeleton. */
  readonly rows?: number
}

export function Waiting({ what, onRetry, rows = 3 }: WaitingProps) {
  const words = useWords()
  const waited = useWaitStage(true)
  if (waited === 'nothing') return null
  return (
    <div className="py-2" aria-busy="true">
      <Skeleton rows={rows} />
      <div role="status" className="mt-3 text-quiet">
        {waited === 'words' && words.waiting.what(what)}
        {waited === 'long' && (
          <p className="flex flex-wrap items-center gap-3">
            <span>
              {words.waiting.long(what)} {words.waiting.longNext}
            </span>
            <Button onClick={onRetry}>{words.act.retry}</Button>
          </p>
        )}
      </div>
    </div>
  )
}

const widths = ['w-2/5', 'w-3/5', 'w-1/3', 'w-1/2']

function Skeleton({ rows }: { rows: number }): ReactNode {
  return (
    <div aria-hidden="true" className="divide-y divide-line border-y border-line">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a skeleton are all alike
        <div key={row} className="flex h-11 items-center">
          <div className={`waiting-shimmer h-3 ${widths[row % widths.length]}`} />
        </div>
      ))}
    </div>
  )
}

/** Offers to stop waiting when a sent form has no answer after 10 s. */
export function SlowAnswer({ waiting, onStop }: { waiting: boolean; onStop: () => void }) {
  const words = useWords()
  const waited = useWaitStage(waiting)
  if (waited !== 'long') return null
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-3 rounded-md bg-warn-wash px-3 py-2 text-warn"
    >
      <span className="min-w-0 flex-1">{words.waiting.sending}</span>
      <Button onClick={onStop}>{words.waiting.stop}</Button>
    </div>
  )
}
