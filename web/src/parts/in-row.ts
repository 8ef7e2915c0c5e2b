/** A row that may be wider than its place: the current one of its links is in sight. The page itself never moves, as scrollIntoView would let it. */
import { type RefObject, useEffect, useRef } from 'react'

/** `at`: what decides which one is current. */
export function useCurrentInRow(at: string): RefObject<HTMLElement | null> {
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
