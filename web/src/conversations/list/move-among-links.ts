/**
 * Up and down go from one link of a list to the next, as in every list of things to choose from.
 */
import type { KeyboardEvent } from 'react'

export function moveAmongLinks(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-choice]')]
  const at = links.indexOf(document.activeElement as HTMLElement)
  const next = links[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (!next || (at === -1 && event.key === 'ArrowUp')) return
  event.preventDefault()
  next.focus()
}
