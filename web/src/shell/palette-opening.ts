/** Opens and closes the command palette from anywhere: Ctrl+K, or ⌘K on a Mac. */
import { useSyncExternalStore } from 'react'

const onMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
export const paletteKeys = onMac ? '⌘K' : 'Ctrl K'

let open = false
const listeners = new Set<() => void>()

const set = (next: boolean) => {
  open = next
  for (const listener of listeners) listener()
}

addEventListener('keydown', (event) => {
  const mod = onMac ? event.metaKey : event.ctrlKey
  if (!mod || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return
  event.preventDefault()
  set(!open)
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const show = () => set(true)
const hide = () => set(false)

export const usePalette = () => ({ open: useSyncExternalStore(subscribe, () => open), show, hide })
