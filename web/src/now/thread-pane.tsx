/**
 * On a wide screen, the session of the row under the cursor, beside the list. It takes no focus and
 * starts nothing; what is decided in it takes effect at once, as in any session.
 */
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { Talk } from '../conversations/thread/talk-page.tsx'
import type { NowRow, NowRows } from './now-rows.ts'

/** The cursor passes over rows that nobody wants to read. */
const restMs = 150

interface ThreadPaneProps {
  readonly place: HTMLElement
  readonly rows: NowRows
  /** The row under the cursor. */
  readonly at: string | undefined
  readonly onClose: () => void
}

export function ThreadPane({ place, rows, at, onClose }: ThreadPaneProps) {
  const row = Object.values(rows)
    .flat()
    .find(({ id }: NowRow) => id === at)
  // A role is shown in its console.
  const key = useRested(row?.talk?.role === undefined ? row?.talk?.key : undefined)
  return createPortal(
    key !== undefined && <Talk key={key} conversationKey={key} onClose={onClose} isBeside />,
    place,
  )
}

function useRested(key: string | undefined): string | undefined {
  const [rested, setRested] = useState(key)
  useEffect(() => {
    const timer = setTimeout(() => setRested(key), restMs)
    return () => clearTimeout(timer)
  }, [key])
  return rested
}
