/**
 * Announces a change of page without a new document to screen readers, and moves the focus to the
 * content when the focused element is gone.
 */
import { useSyncExternalStore } from 'react'

let place = ''
let said = ''
const listeners = new Set<() => void>()

export function announcePage(title: string): void {
  // The browser itself announces the first page.
  if (place && place !== title) said = title
  place = title
  for (const listener of listeners) listener()
  const focused = document.activeElement
  if (said && (!focused || focused === document.body))
    document.getElementById('content')?.focus({ preventScroll: true })
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
