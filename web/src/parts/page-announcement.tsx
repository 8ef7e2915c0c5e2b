/**
 * Arriving at another place without a new document: says where, for those who do not see it, and gives the focus a place
 * when what had it is gone.
 */
import { useSyncExternalStore } from 'react'

let place = ''
let said = ''
const listeners = new Set<() => void>()

export function announcePage(title: string): void {
  // The first place is announced by the browser itself.
  if (place && place !== title) said = title
  place = title
  for (const listener of listeners) listener()
  const focused = document.activeElement
  if (said && (!focused || focused === document.body)) document.getElementById('content')?.focus({ preventScroll: true })
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const PageAnnouncement = () => (
  <p role="status" className="sr-only">
    {useSyncExternalStore(subscribe, () => said)}
  </p>
)
