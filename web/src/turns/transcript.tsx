/**
 * What was said and done, newest at the bottom. The list grows upwards from its end, so the browser
 * itself keeps the place. Who has scrolled up is told how much is new, and goes there by one press.
 */
import { type ReactNode, useRef, useState } from 'react'
import { DownIcon } from '../parts/icons.tsx'
import { NearRows } from '../parts/near.tsx'
import { useWords } from '../translations/messages.tsx'

interface TranscriptProps {
  readonly label: string
  /** How many messages and turns there are. */
  readonly count: number
  /** The view has the whole width: it stays in the middle, with a scroll bar or without. */
  readonly alone?: boolean
  readonly children: ReactNode
}

/** So near to its end one reads what is said now. */
const nearEnd = 80

const boxClass =
  'flex min-h-0 flex-1 flex-col-reverse overflow-y-auto overscroll-contain px-4 -outline-offset-2'
const jumpClass =
  'absolute bottom-2 left-1/2 flex min-h-8 -translate-x-1/2 items-center gap-1.5 rounded-full ' +
  'bg-raised px-3 text-sm shadow-popup hover:bg-hover max-md:min-h-10'

export function Transcript({ label, count, alone = false, children }: TranscriptProps) {
  const { console: words } = useWords()
  const box = useRef<HTMLDivElement>(null)
  /** How many there were when one left the end; undefined: one is there. */
  const [left, setLeft] = useState<number>()
  const onScroll = () => {
    const away = Math.abs(box.current?.scrollTop ?? 0) > nearEnd
    setLeft((before) => (away ? (before ?? count) : undefined))
  }
  const fresh = left === undefined ? 0 : Math.max(0, count - left)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        role="log"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keyboard
        tabIndex={0}
        onScroll={onScroll}
        className={`${boxClass} ${alone ? 'md:[scrollbar-gutter:stable_both-edges]' : ''}`}
      >
        <div className="mx-auto w-full max-w-3xl min-w-0 pb-4">
          <NearRows root={box}>{children}</NearRows>
        </div>
      </div>
      {left !== undefined && (
        <button
          type="button"
          data-jump={fresh}
          className={jumpClass}
          onClick={() => {
            box.current?.scrollTo({ top: 0 })
            box.current?.focus({ preventScroll: true })
          }}
        >
          <DownIcon />
          {fresh > 0 ? words.newBelow(fresh) : words.newest}
        </button>
      )}
    </div>
  )
}

/** Rows at the end that are drawn from the beginning. */
export const drawnAtFirst = 12
/** The usual height of a message or a turn. */
export const guessedHeight = 120
