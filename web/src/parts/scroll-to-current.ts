/**
 * Scrolls a row of links so that the current one is visible, without moving the page as
 * scrollIntoView would.
 */
import { type RefObject, useEffect, useRef } from 'react'

/** `at`: the value that decides which link is current. */
export function useScrollToCurrent(at: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies(at): another place is another link
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current="page"]')?.getBoundingClientRect()
    if (!row.current || !current) return
    const { left, width } = row.current.getBoundingClientRect()
    row.current.scrollLeft += current.left + current.width / 2 - left - width / 2
  }, [at])
  return row
}
