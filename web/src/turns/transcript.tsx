/**
 * What was said and done, newest at the bottom. The list grows upwards from its end, so the browser
 * itself keeps the place.
 */
import { type ReactNode, useRef } from 'react'
import { NearRows } from '../parts/near.tsx'

interface TranscriptProps {
  readonly label: string
  /** The view has the whole width: it stays in the middle, with a scroll bar or without. */
  readonly alone?: boolean
  readonly children: ReactNode
}

export function Transcript({ label, alone = false, children }: TranscriptProps) {
  const box = useRef<HTMLDivElement>(null)
  return (
    <div
      ref={box}
      role="log"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
      tabIndex={0}
      className={`flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain px-4 -outline-offset-2 ${alone ? 'md:[scrollbar-gutter:stable_both-edges]' : ''}`}
    >
      <div className="mx-auto w-full max-w-3xl min-w-0 pb-4">
        <NearRows root={box}>{children}</NearRows>
      </div>
    </div>
  )
}

/** Rows at the end that are drawn from the beginning. */
export const drawnAtFirst = 12
/** The usual height of a message or a turn. */
export const guessedHeight = 120
