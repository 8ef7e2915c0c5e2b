/**
 * Short words about what was just done, with Undo where it can be had. They stay while they are
 * looked at, and stand above, where nothing is written or sent.
 */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useWords } from '../translations/messages.tsx'
import { Button, IconButton } from './button.tsx'
import { CloseIcon } from './icons.tsx'

interface Notice {
  readonly id: number
  readonly text: string
  readonly undo?: (() => void) | undefined
}

const mostNotices = 3
const shownMs = 6000
const shownWithUndoMs = 12_000

let notices: readonly Notice[] = []
let lastId = 0
const listeners = new Set<() => void>()

const set = (next: readonly Notice[]) => {
  notices = next
  for (const listener of listeners) listener()
}

export function notify(text: string, undo?: () => void): void {
  lastId += 1
  set([...notices, { id: lastId, text, undo }].slice(-mostNotices))
}

const dismiss = (id: number) => set(notices.filter((notice) => notice.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Notices() {
  const words = useWords()
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <section
      aria-label={words.notices}
      aria-live="polite"
      className="pointer-events-none fixed top-2 left-1/2 z-60 flex w-[min(24rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-2"
    >
      {shown.map((notice) => (
        <NoticeRow key={notice.id} notice={notice} />
      ))}
    </section>
  )
}

function NoticeRow({ notice }: { notice: Notice }) {
  const words = useWords()
  const [looked, setLooked] = useState(false)
  useEffect(() => {
    if (looked) return
    const timer = setTimeout(() => dismiss(notice.id), notice.undo ? shownWithUndoMs : shownMs)
    return () => clearTimeout(timer)
  }, [looked, notice])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: being looked at only keeps it from going away
    <div
      className="pointer-events-auto flex items-center gap-2 rounded-lg bg-raised py-1.5 pr-1.5 pl-4 shadow-popup"
      onMouseEnter={() => setLooked(true)}
      onMouseLeave={() => setLooked(false)}
      onFocus={() => setLooked(true)}
      onBlur={() => setLooked(false)}
    >
      <span className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]">{notice.text}</span>
      {notice.undo && (
        <Button
          look="quiet"
          className="text-accent!"
          onClick={() => {
            dismiss(notice.id)
            notice.undo?.()
          }}
        >
          {words.act.undo}
        </Button>
      )}
      <IconButton label={words.act.close} onClick={() => dismiss(notice.id)}>
        <CloseIcon />
      </IconButton>
    </div>
  )
}
