/**
 * Keys of a review: `t` filters its files, or goes to the first where they are few; `v` marks the
 * file that one is at as viewed, or no longer, and goes from one that was marked to the next.
 */
import { type RefObject, useEffect } from 'react'
import { isMeantElsewhere } from '../shell/page-keys.ts'

/** What is left in sight of the file above, when one is scrolled to, is less. */
const leastSeen = 24

function filesIn(box: HTMLElement) {
  const files = [...box.querySelectorAll<HTMLElement>('[data-file]')]
  const { top, bottom } = box.getBoundingClientRect()
  const seen = files.filter((file) => {
    const place = file.getBoundingClientRect()
    return place.bottom >= top + leastSeen && place.top < bottom
  })
  const at = seen.find((file) => file.contains(document.activeElement)) ?? seen[0]
  return { at, next: at && files[files.indexOf(at) + 1] }
}

function markViewed(box: HTMLElement): void {
  const { at, next } = filesIn(box)
  const mark = at?.querySelector<HTMLInputElement>('[data-viewed]')
  if (!mark) return
  const goesTo = mark.checked ? at : (next ?? at)
  mark.click()
  goesTo?.focus({ preventScroll: true })
  goesTo?.scrollIntoView({ block: 'nearest' })
}

export function useReviewKeys(
  tree: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || isMeantElsewhere(event)) return
      if (event.key === 't') tree.current?.querySelector<HTMLElement>('input, a')?.focus()
      else if (event.key === 'v' && box.current) markViewed(box.current)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [tree, box])
}
