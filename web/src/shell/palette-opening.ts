/** Opens and closes the command palette from anywhere: Ctrl+K, or ⌘K on a Mac. */
import { useSyncExternalStore } from 'react'

const onMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
export const paletteKeys = onMac ? '⌘K' : 'Ctrl K'

let open = false
/** What was typed since it was opened, while its input is not there yet; undefined once it is. */
let early: string | undefined
const listeners = new Set<() => void>()

const set = (next: boolean) => {
  open = next
  early = next ? '' : undefined
  for (const listener of listeners) listener()
}

addEventListener('keydown', (event) => {
  const mod = onMac ? event.metaKey : event.ctrlKey
  if (!mod || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
  event.preventDefault()
  set(!open)
})

// The palette is loaded when it is first opened: until its input has the focus, no key may reach
// the page, where keys do things.
addEventListener(
  'keydown',
  (event) => {
    if (early === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') set(false)
    else if (event.key === 'Backspace') early = early.slice(0, -1)
    else if (event.key.length === 1) early += event.key
    else return
    event.preventDefault()
    event.stopImmediatePropagation()
  },
  { capture: true },
)

/** Returns what was typed before the input had the focus. From here on keys are its own. */
export function takeTyped(): string {
  const typed = early ?? ''
  early = undefined
  return typed
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const show = () => set(true)
const hide = () => set(false)

export const usePalette = () => ({ open: useSyncExternalStore(subscribe, () => open), show, hide })
